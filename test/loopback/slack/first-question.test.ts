import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, textOf, type World } from '../../support/world.ts';

const PNG = [0x89, 0x50, 0x4e, 0x47];

describe.each(['socket', 'http'] as const)('a first question in %s mode', (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ mode });
  });
  afterAll(() => world.stop());

  it('acknowledges within three seconds and answers once, with numbers and a chart', async () => {
    const { slack } = world;
    const outcome = await slack.command({ text: 'timeline last 24h' });
    expect(outcome).toMatchObject({ acked: true });
    const message = await slack.nextMessage();
    expect(message.text).toMatch(
      /^1\.\d M requests · [\d,]+ attacks \([\d.]+ %\): Compared with the same hours a week before: attacks /,
    );
    const image = message.blocks.find((block) => block.type === 'image');
    expect(image?.alt_text).toMatch(/requests/i);
    const file = slack.files().at(-1);
    expect([...(file?.bytes?.subarray(0, 4) ?? [])]).toEqual(PNG);
    // A restart finishes the requests under way, so a second answer would be there by now.
    await world.restart();
    expect(slack.messages().filter(({ botId }) => botId !== undefined)).toHaveLength(1);
    expect(slack.refusals).toEqual([]);
  });

  it('breaks attacks down by category in a chart, and in a table to whoever wants all', async () => {
    await world.slack.command({ text: 'attacks last 24h' });
    const message = await world.slack.nextMessage();
    const image = message.blocks.find((block) => block.type === 'image');
    expect(image?.alt_text).toContain('SQL injection');
    expect(message.blocks.some((block) => block.type === 'table')).toBe(false);
  });

  it('helps, to the asker alone', async () => {
    await world.slack.command({ text: 'help' });
    const message = await world.slack.nextMessage({ match: ({ visibleTo }) => visibleTo !== undefined });
    expect(textOf(message)).toContain('timeline last 24h');
  });

  it('answers anything else in a friendly way, with a caret and an example', async () => {
    await world.slack.command({ text: 'timelien last 24h' });
    const message = await world.slack.nextMessage({ match: ({ visibleTo }) => visibleTo !== undefined });
    expect(textOf(message)).toContain('timeline last 24h');
    expect(textOf(message)).toContain('^^^^^^^^');
  });
});
