/** A picture that takes long: the text goes first, and the picture follows into the same message. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import { PICTURE_LIMIT_MS } from '../../../src/slack/posting/picture-messages.ts';
import { eventually } from '../../support/clock.ts';
import { startWorld, type World, type WorldOptions } from '../../support/world.ts';

const CHANNEL = 'C0SECURITY';
const ALWAYS = { times: Number.POSITIVE_INFINITY };

let world: World;
const start = async (options: WorldOptions = {}) => {
  world = await startWorld({ ...options, slack: { fileReadyAfter: 0, ...options.slack } });
  return world;
};
afterEach(() => world.stop());

const types = ({ blocks }: Pick<Message, 'blocks'>) => blocks.map(({ type }) => type);
const hasPicture = (message: Message) => types(message).includes('image');
const answers = () => world.slack.messages(CHANNEL).filter(({ botId }) => botId !== undefined);

/** Asks, and lets the time pass that the text waits for a picture that Slack does not take yet. */
async function askWithHeldUpload(text: string) {
  const { slack, clock } = world;
  const gate = slack.faults.hold('upload');
  await slack.command({ text });
  await gate.reached;
  clock.end(PICTURE_LIMIT_MS.asked);
  return { gate, message: await slack.nextMessage({ channel: CHANNEL }) };
}

describe('many questions at once', () => {
  const people = Array.from({ length: 13 }, (_, n) => {
    const id = `U0ASKER${String(n).padStart(3, '0')}`;
    return { id, name: `asker${n}`, realName: `Asker ${n}`, tz: 'Europe/Stockholm' };
  });

  it('64 of them are answered while Slack takes no file, and all end with their picture in the same message', async () => {
    const { slack, clock } = await start({ slack: { workspace: { ...WORKSPACE, users: people } } });
    const gate = slack.faults.hold('upload', ALWAYS);
    await Promise.all(
      Array.from({ length: 64 }, (_, n) =>
        slack.command({
          user: people[n % people.length]?.id ?? '',
          channel: CHANNEL,
          text: `timeline last ${n + 10}m`,
        }),
      ),
    );
    await slack.waitFor(() => {
      clock.end(PICTURE_LIMIT_MS.asked);
      return answers().length === 64;
    });
    expect(answers().some(hasPicture)).toBe(false);
    gate.release();
    await slack.waitFor(() => answers().filter(hasPicture).length === 64);
    expect(answers()).toHaveLength(64);
    expect(slack.calls('chat.postMessage')).toHaveLength(64);
    expect(slack.calls('chat.update')).toHaveLength(64);
    expect(slack.files()).toHaveLength(64);
  });
});

describe('a picture that comes late', () => {
  it('takes the place of Slack’s own chart, and nothing else of the answer changes', async () => {
    await start();
    const { gate, message } = await askWithHeldUpload('timeline last 2h');
    expect(types(message)).toContain('data_visualization');
    gate.release();
    const after = await world.slack.waitFor(() => answers().find(hasPicture));
    expect(after.ts).toBe(message.ts);
    const others = ({ blocks }: Message) =>
      blocks
        .filter(({ type }) => !/^(image|data_visualization)$/.test(String(type)))
        .map(({ block_id, ...block }) => block);
    expect(others(after)).toEqual(others(message));
    expect(after.text).toBe(message.text);
    expect(answers()).toHaveLength(1);
  });

  it('comes when Slack has asked for patience too', async () => {
    await start();
    const { gate } = await askWithHeldUpload('timeline last 2h');
    world.slack.faults.inject('chat.update', { kind: 'rate_limited', retryAfterSeconds: 30 }, { times: 2 });
    gate.release();
    await world.slack.waitFor(() => answers().some(hasPicture));
    expect(world.slack.calls('chat.update')).toHaveLength(3);
    expect(answers()).toHaveLength(1);
  });

  it('does not come over another answer that stands there by then', async () => {
    await start();
    const { gate, message } = await askWithHeldUpload('timeline last 2h');
    const again = actions(message).find(({ action_id }) => /^say:replace:/.test(String(action_id)));
    await world.slack.clickButton({ message, actionId: String(again?.action_id) });
    const replaced = await world.slack.waitFor(() => answers().find(({ text }) => text !== message.text));
    gate.release();
    // Once another question is answered, the first picture has had its chance.
    await world.slack.command({ text: 'timeline last 2h' });
    await world.slack.waitFor(() => answers().length === 2 && answers().every(hasPicture));
    expect(world.slack.message(message)?.text).toBe(replaced.text);
  });

  it('that Slack refuses leaves the answer as it is', async () => {
    await start();
    const { gate, message } = await askWithHeldUpload('timeline last 2h');
    world.slack.faults.refuseBlockType('image');
    gate.release();
    await eventually(() => world.logged.some((line) => line.includes('could not add a late picture')), 'the failure');
    expect(world.slack.message(message)).toMatchObject({ text: message.text, edited: false });
  });

  it('is waited for when the bot stops', async () => {
    await start();
    const { gate } = await askWithHeldUpload('timeline last 2h');
    const stopped = world.bot.stop();
    gate.release();
    await stopped;
    expect(answers().every(hasPicture)).toBe(true);
  });
});

function actions({ blocks }: Message) {
  return blocks.flatMap((block) =>
    block.type === 'actions' && Array.isArray(block.elements) ? block.elements : [],
  ) as {
    action_id?: string;
  }[];
}
