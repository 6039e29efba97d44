/** One person who asks without pause: told kindly, and nobody else has to wait. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/clock.ts';
import { startWorld, TUESDAY, textOf, type World } from '../../support/world.ts';

const [MAYA, DIEGO] = ['U0MAYA0001', 'U0DIEGO001'];

let world: World;
beforeAll(async () => {
  world = await startWorld({ environment: { WAFBOT_CHARTS: 'none' } });
});
afterAll(() => world.stop());

describe('one person', () => {
  it('who asks 200 times at once gets five answers, and others do not wait', async () => {
    const gate = world.service.hold({ on: ['timeline', 'distribution'] });
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => world.slack.command({ user: MAYA, text: `incident last ${n + 1}h` })),
    );
    const kindly = /You already have 5 questions in progress, .*Wait for an answer/s;
    const refusals = () => world.slack.ephemerals(MAYA).filter((message) => kindly.test(textOf(message)));
    await eventually(() => refusals().length === 195, 'the refusals');

    const before = world.service.requests.length;
    await world.slack.command({ user: DIEGO, channel: 'C0ONCALL01', text: 'attacks yesterday' });
    await eventually(() => world.service.requests.length > before, 'the call for another person');
    gate.release();
    expect((await world.slack.nextMessage({ channel: 'C0ONCALL01' })).text).toMatch(/[\d,]+ attacks( in total| · )/);
    for (let n = 0; n < 5; n += 1)
      await world.slack.nextMessage({ channel: 'C0SECURITY', match: ({ visibleTo }) => visibleTo === undefined });
    // Of the 200 questions, only those of five were asked: each takes up to 16 calls.
    expect(world.service.requests.length).toBeLessThan(6 * 16);
  });

  it('who asks more than 30 times in a minute is told when to ask again', async () => {
    world.clock.set(Temporal.Instant.from(TUESDAY).add({ minutes: 5, seconds: 48 }).toString());
    const ask = async (): Promise<string> => {
      await world.slack.command({ user: MAYA, text: 'help' });
      return textOf(
        await world.slack.nextMessage({ visibleTo: MAYA, match: (message) => !/in progress/.test(textOf(message)) }),
      );
    };
    for (let n = 0; n < 30; n += 1) expect(await ask()).toContain('What you can ask');
    const refusal = await ask();
    expect(refusal).toContain("You've asked 30 questions in a minute");
    expect(refusal).toContain('Ask again in 12 seconds');
    world.clock.set(Temporal.Instant.from(TUESDAY).add({ minutes: 6 }).toString());
    expect(await ask()).toContain('What you can ask');
  });

  it('who opens forms asks too: 40 at once open no more than any 40 questions would be answered', async () => {
    world.clock.set(Temporal.Instant.from(TUESDAY).add({ minutes: 9 }).toString());
    await world.slack.command({ user: DIEGO, channel: 'C0ONCALL01', text: 'settings' });
    const message = await world.slack.nextMessage({ channel: 'C0ONCALL01' });
    const opened = () => world.slack.calls('views.open').length;
    const told = () => world.slack.ephemerals(MAYA).filter((each) => /is the limit/.test(textOf(each))).length;
    const before = told();
    await Promise.all(
      Array.from({ length: 40 }, () => world.slack.clickButton({ message, actionId: 'say:modal:0', user: MAYA })),
    );
    await eventually(() => told() - before + opened() === 40, 'a form or a refusal for each');
    expect(opened()).toBeGreaterThan(0);
    expect(opened()).toBeLessThanOrEqual(30);
  });
});
