import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { plainText, subjectWords } from '../../../src/replies/phrases.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { openVerdictStage, SHOP, text, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage;
beforeEach(async () => {
  open = await openVerdictStage(1);
});
afterEach(() => open.stage.close());

/** What the channel prefers, as the answer says it: zone, hosts, publicity. */
async function settings(reply?: Reply): Promise<string> {
  const { body } = reply ?? (await open.ask('settings'));
  return (body ?? []).map((line) => plainText(line).replace(/^\w+: /, '')).join(' | ');
}

const NOTHING = 'UTC | all | public, in the channel';

async function refusal(sentence: string): Promise<{ at: string; error: UsageError }> {
  const error: unknown = await open.ask(sentence).then(
    () => new Error(`understood: ${sentence}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UsageError)) throw error;
  return { at: sentence.slice(error.span?.start ?? 0, error.span?.end ?? 0), error };
}

describe('settings', () => {
  it('begin with nothing set', async () => {
    expect(await settings()).toBe(NOTHING);
  });

  it.each([
    ['settings zone Europe/Berlin', 'Europe/Berlin | all | public, in the channel'],
    ['settings zone new york', 'America/New_York | all | public, in the channel'],
    ['settings hosts shop', 'UTC | shop | public, in the channel'],
    [`settings hosts SHOP, shop and ${SHOP}0`, `UTC | shop, ${SHOP}0 | public, in the channel`],
    ['settings private', 'UTC | all | private, only the asker sees them'],
    ['settings privately', 'UTC | all | private, only the asker sees them'],
    ['settings public', NOTHING],
    ['settings zone Europe/Berlin hosts shop private', 'Europe/Berlin | shop | private, only the asker sees them'],
    ['settings zone none, hosts none, public', NOTHING],
    ['setting reset', NOTHING],
  ])('%s', async (sentence, expected) => {
    expect(await settings(await open.ask(sentence))).toBe(expected);
    expect(await settings()).toBe(expected);
  });

  it('change one at a time and leave the others', async () => {
    for (const sentence of ['settings zone Europe/Berlin', 'settings hosts shop', 'settings private'])
      await open.ask(sentence);
    expect(await settings()).toBe('Europe/Berlin | shop | private, only the asker sees them');
    await open.ask('settings zone none');
    expect(await settings()).toBe('UTC | shop | private, only the asker sees them');
    await open.ask('settings hosts none');
    expect(await settings()).toBe('UTC | all | private, only the asker sees them');
    await open.ask('settings zone Asia/Tokyo');
    await open.ask('settings public');
    expect(await settings()).toBe('Asia/Tokyo | all | public, in the channel');
    await open.ask('settings hosts shop');
    await open.ask('settings hosts all');
    await open.ask('settings reset');
    expect(await settings()).toBe(NOTHING);
  });

  it('say the zone that holds now, not the one that held before', async () => {
    const ask = (sentence: string) =>
      open.commands.answer({ text: sentence, user: 'U1', channel: 'C1', userZone: 'Europe/Stockholm' });
    expect(plainText((await ask('settings zone Asia/Tokyo')).headline)).toContain('Asia/Tokyo');
    const reply = await ask('settings zone none');
    expect(plainText(reply.headline)).toContain('Europe/Stockholm');
    expect(text(reply.body)).toContain("each person's own (yours is Europe/Stockholm)");
  });

  it('hold for questions: zone, hosts and privacy', async () => {
    for (const sentence of ['settings zone Asia/Tokyo', 'settings hosts shop', 'settings private'])
      await open.ask(sentence);
    const reply = await open.ask('timeline 2026-03-10');
    expect(reply.privately).toBe(true);
    expect(reply.subject && subjectWords(reply.subject)).toBe('shop · Tue 10 Mar · Asia/Tokyo (UTC+9)');
  });

  it('tell of a host that is gone, rather than asking about all', async () => {
    await open.ask('settings hosts shop');
    await open.ask('hosts remove shop');
    await expect(open.ask('timeline last 2h')).rejects.toThrow(/default host is “shop”/);
  });

  it.each([
    ['settings zone', ''],
    ['settings zone Europe/Berlin please', 'Europe/Berlin please'],
    ['settings hosts', ''],
    ['settings hosts shop, nowhere', 'nowhere'],
    ['settings hosts none shop', 'shop'],
    ['settings private bananas', 'bananas'],
    ['settings reset bananas', 'bananas'],
    ['settings colour blue', 'colour'],
    ['settings list more', 'more'],
  ])('%s is refused, with the fault under “%s”', async (sentence, at) => {
    const fault = await refusal(sentence);
    expect(fault.at).toBe(at);
    expect(await settings()).toBe(NOTHING);
  });
});
