import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import { openVerdictStage, SHOP, text, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage;
beforeEach(async () => {
  open = await openVerdictStage(1);
});
afterEach(() => open.stage.close());

const ID = 'ab12cd34ef56ab12cd34ef56ab12cd34';

describe('hosts', () => {
  it('lists what is known', async () => {
    const reply = await open.ask('hosts');
    expect(plainText(reply.headline)).toBe('1 name added.');
    expect(reply.table?.rows).toEqual([['shop', SHOP]]);
  });

  it('adds a name that works at once, in quotes where it must be', async () => {
    const reply = await open.ask(`hosts add "my blog" ${ID}`);
    expect(plainText(reply.headline)).toMatch(new RegExp(`^my blog now means ${ID}\\. Is the ID right`));
    const [action] = reply.actions ?? [];
    expect((await open.ask(action?.sentence ?? '')).title).toBe('No traffic seen for my blog: is its ID right?');
  });

  it('changes a name, says what it was, and lists every one', async () => {
    const reply = await open.ask(`hosts add SHOP ${ID}`);
    expect(plainText(reply.headline)).toContain(`SHOP now means ${ID} (was ${SHOP}).`);
    expect((await open.ask('hosts')).table?.rows).toEqual([['SHOP', ID]]);
  });

  it('removes a name and says how to bring it back', async () => {
    const removed = await open.ask('hosts remove Shop');
    expect(removed.actions?.map(({ sentence }) => sentence)).toEqual([`hosts add shop ${SHOP}`]);
    expect(plainText((await open.ask('hosts')).headline)).toMatch(/^No hosts yet\./);
    await open.ask(`hosts add shop ${SHOP}`);
    expect((await open.ask('hosts')).table?.rows).toEqual([['shop', SHOP]]);
  });

  it.each([
    [`hosts add csv ${ID}`, 'csv', /already has a meaning/],
    [`hosts add privately ${ID}`, 'privately', /already has a meaning/],
    [`hosts add and ${ID}`, 'and', /already has a meaning/],
    [`hosts add timeline ${ID}`, 'timeline', /already has a meaning/],
    [`hosts add yesterday ${ID}`, 'yesterday', /already has a meaning/],
    [`hosts add none ${ID}`, 'none', /already has a meaning/],
    [`hosts add " " ${ID}`, '" "', /1 to 60 characters/],
    [`hosts add a<b ${ID}`, 'a<b', /no quotes or brackets/],
    [`hosts add sh\u202eop ${ID}`, 'sh\u202eop', /1 to 60/],
    [`hosts add ${'x'.repeat(61)} ${ID}`, 'x'.repeat(61), /1 to 60/],
    [`hosts add ${SHOP} ${ID}`, SHOP, /can't look like a domain ID/],
    ['hosts add blog nonsense', 'nonsense', /doesn't look like a domain ID/],
    [`hosts add my blog ${ID}`, ID, /one word too many/],
    ['hosts add blog', '', /a name and a domain ID/],
    ['hosts remove', '', /Which name/],
    ['hosts remove blog', 'blog', /There's no host/],
    ['hosts remove shop blog', 'blog', /don't know what/],
    ['hosts list bananas', 'bananas', /don't know what/],
    ['hosts paint shop', 'paint', /doesn't work with hosts/],
  ])('%s is refused', async (sentence, at, message) => {
    const error: unknown = await open.ask(sentence).catch((thrown: unknown) => thrown);
    if (!(error instanceof UsageError)) throw error;
    expect(error.message).toMatch(message);
    expect(sentence.slice(error.span?.start ?? 0, error.span?.end ?? 0)).toBe(at);
    expect((await open.ask('hosts')).table?.rows).toEqual([['shop', SHOP]]);
  });
});

describe('help', () => {
  it('explains each command by name and by its other names, and suggests the nearest', async () => {
    expect((await open.ask('help breakdown')).title).toBe('Help: attacks');
    expect(text((await open.ask('help /timeline')).body)).toContain('/waf timeline <range>');
    expect((await open.ask('help /timeline')).actions?.[0]?.sentence).toBe('timeline last 24h');
    expect((await open.ask('help me with the attacks please')).title).toBe('Help: attacks');
    await expect(open.ask('help timelien')).rejects.toMatchObject({ suggestion: 'help timeline' });
  });

  it('is for the asker, not for everyone', async () => {
    expect(await open.ask('')).toMatchObject({ title: 'What you can ask', quiet: true });
    expect((await open.ask('')).privately).toBeUndefined();
  });
});
