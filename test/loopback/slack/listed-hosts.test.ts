/** Hosts that the service lists, as people meet them in Slack: named, chosen in a form, and in the doctor's answer. */
import { afterEach, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import { startWorld, textOf, type World } from '../../support/world.ts';

let world: World;
afterEach(() => world.stop());

const BLOG = DEFAULT_HOSTS.find(({ name }) => name === 'blog')?.id;

async function ask(text: string) {
  await world.slack.command({ text });
  return world.slack.nextMessage();
}

it('a digest about a host that was chosen from the menu of the form', async () => {
  world = await startWorld({ environment: { WAFBOT_CHARTS: 'none' }, service: { habits: { hostLists: 'cloud' } } });
  expect(textOf(await ask('hosts'))).toContain('blog.example.org');
  const list = await ask('digest');
  const actions = list.blocks.flatMap(({ elements }) => (Array.isArray(elements) ? elements : []));
  const button = actions.find(({ value }) => value === 'digest new');
  await world.slack.clickButton({ message: list, actionId: button.action_id });
  const view = await world.slack.waitFor(() => world.slack.modals().at(-1), { what: 'the form' });
  expect(JSON.stringify(view)).toContain('multi_static_select');
  await world.slack.submitView({ viewId: view.id, values: { hosts: ['blog.example.org', 'api.example.org'] } });
  expect(textOf(await world.slack.nextMessage())).toContain('blog.example.org, api.example.org');
  expect(textOf(await ask('digest preview'))).toContain('blog.example.org');
  const asked = world.service.calls('timeline').map(({ search }) => search.getAll('hosts'));
  expect(asked.at(-1)).toContain(BLOG);
  expect(world.service.calls('cloud hosts')).toHaveLength(1);
});

it('a watch on one of a thousand hosts, chosen from the menu of the form', async () => {
  const [first] = DEFAULT_HOSTS;
  if (first === undefined) throw new Error('no host');
  const hosts = Array.from({ length: 1_000 }, (_, at) => ({
    ...first,
    id: `${at}`.padStart(32, 'a1'),
    name: `site${at}`,
    visitsPerMinute: 1,
    attacks: {},
  }));
  const service = { habits: { hostLists: 'cloud' }, hosts } as const;
  world = await startWorld({ environment: { WAFBOT_CHARTS: 'none' }, service });
  await ask('hosts');
  const list = await ask('watches');
  const actions = list.blocks.flatMap(({ elements }) => (Array.isArray(elements) ? elements : []));
  const button = actions.find(({ value }) => value === 'watch new');
  await world.slack.clickButton({ message: list, actionId: button.action_id });
  const view = await world.slack.waitFor(() => world.slack.modals().at(-1), { what: 'the form' });
  expect(JSON.stringify(view)).toContain('option_groups');
  await world.slack.submitView({ viewId: view.id, values: { hosts: ['site777.example.org'] } });
  expect(textOf(await world.slack.nextMessage())).toContain('on site777.example.org');
  expect(world.slack.refusals).toEqual([]);
});

it('no permission for the list is said by the doctor, and all else works', async () => {
  world = await startWorld({ environment: { WAFBOT_CHARTS: 'none' }, service: { habits: { hostLists: 'cloud' } } });
  world.service.misbehave({ kind: 'refuse', code: 'WAF.9002' }, { on: ['cloud hosts', 'dedicated hosts'] });
  expect(textOf(await ask('doctor'))).toContain("isn't allowed to list the hosts");
  await ask(`hosts add blog ${BLOG}`);
  expect((await ask('timeline last 3h on blog')).text).toMatch(/requests/);
});
