/** Common emoji by name. Unknown names are shown as typed. */
import type { Html } from './html.ts';

const EMOJI: Readonly<Record<string, string>> = {
  alarm_clock: '⏰',
  ambulance: '🚑',
  arrow_down: '⬇️',
  arrow_left: '⬅️',
  arrow_right: '➡️',
  arrow_up: '⬆️',
  ballot_box_with_check: '☑️',
  bar_chart: '📊',
  bell: '🔔',
  black_circle: '⚫',
  book: '📖',
  bug: '🐛',
  bulb: '💡',
  calendar: '📆',
  chart_with_downwards_trend: '📉',
  chart_with_upwards_trend: '📈',
  clipboard: '📋',
  clock3: '🕒',
  construction: '🚧',
  earth_africa: '🌍',
  exclamation: '❗',
  eyes: '👀',
  fire: '🔥',
  gear: '⚙️',
  globe_with_meridians: '🌐',
  green_circle: '🟢',
  grey_question: '❔',
  heavy_check_mark: '✔️',
  heavy_minus_sign: '➖',
  hourglass: '⌛',
  hourglass_flowing_sand: '⏳',
  information_source: 'ℹ️',
  large_blue_circle: '🔵',
  large_green_circle: '🟢',
  large_orange_circle: '🟠',
  large_red_square: '🟥',
  large_yellow_circle: '🟡',
  link: '🔗',
  lock: '🔒',
  mag: '🔍',
  memo: '📝',
  mute: '🔇',
  no_entry: '⛔',
  ocean: '🌊',
  page_facing_up: '📄',
  paperclip: '📎',
  question: '❓',
  red_circle: '🔴',
  repeat: '🔁',
  robot_face: '🤖',
  rotating_light: '🚨',
  shield: '🛡️',
  small_red_triangle: '🔺',
  small_red_triangle_down: '🔻',
  spider_web: '🕸️',
  stethoscope: '🩺',
  stopwatch: '⏱️',
  tada: '🎉',
  thumbsdown: '👎',
  thumbsup: '👍',
  '+1': '👍',
  '-1': '👎',
  traffic_light: '🚦',
  warning: '⚠️',
  wastebasket: '🗑️',
  wave: '👋',
  white_check_mark: '✅',
  white_circle: '⚪',
  wrench: '🔧',
  x: '❌',
  zap: '⚡',
  zzz: '💤',
};

export function emojiFor(name: string): string {
  return (Object.hasOwn(EMOJI, name) ? EMOJI[name] : undefined) ?? `:${name}:`;
}

export function withEmoji(text: string): string {
  return text.replace(/:([a-z0-9_+-]+):/g, (_whole, name: string) => emojiFor(name));
}

const CIRCLES: Readonly<Record<string, string>> = {
  '🔴': 'red',
  '🟠': 'orange',
  '🟡': 'yellow',
  '🟢': 'green',
  '🔵': 'blue',
  '⚪': 'white',
  '⚫': 'black',
};

/** Colored circles carry meaning, so they're drawn: not every machine has a font for them. */
export function withDrawnCircles({ markup }: Html): Html {
  // Between tags only: in an attribute, `<` and `>` are escaped.
  const drawn = markup.replace(/>[^<]+/g, (text) =>
    text.replace(/[🔴🟠🟡🟢🔵⚪⚫]\uFE0F?/gu, (sign) => {
      const colour = CIRCLES[sign.replace('\uFE0F', '')] ?? '';
      return `<span class="circle ${colour}" role="img" aria-label="${colour} circle"></span>`;
    }),
  );
  return { markup: drawn };
}
