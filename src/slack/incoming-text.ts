/** Text as Slack sends it → text as the person typed it. */

const ENTITY = /<([^<>]*)>/g;

/** Mentions of the bot are taken out; links become their label; users and channels their plain form. */
export function plainFromSlack(text: string, botUserId?: string): string {
  const unlinked = text.replace(ENTITY, (_whole, inner: string) => {
    const [target = '', label] = inner.split('|');
    if (target.startsWith('@')) {
      if (target.slice(1) === botUserId) return ' ';
      return `@${label || target.slice(1)}`;
    }
    if (target.startsWith('#')) return `#${label || target.slice(1)}`;
    if (target.startsWith('!date^')) return label ?? '';
    if (target.startsWith('!')) return `@${label?.replace(/^@/, '') || target.slice(1).split('^')[0]}`;
    return label ?? target.replace(/^mailto:/, '').replace(/^https?:\/\/([^/]+)\/?$/, '$1');
  });
  return unlinked.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').trim();
}
