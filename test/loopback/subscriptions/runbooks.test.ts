/** Runbooks through the local Slack: in alerts, in *Why?*, and only to addresses that the operator allows. */
import { expect, it } from 'vitest';
import { ask, posts, through, watchedWorld, wave } from '../../support/watched-world.ts';
import { textOf } from '../../support/world.ts';

const HOSTS = { WAFBOT_RUNBOOK_HOSTS: 'https://wiki.example.org, http://docs.internal:8080' };
const LINK = '<https://wiki.example.org/sqli?a=1&amp;b=2|SQL injection>';

it('are linked in alerts and in Why?, are listed, survive a restart and can be removed', async () => {
  const w = await watchedWorld([wave('15:00', '15:40', 60, { sqli: 1 })], { environment: HOSTS });
  await ask(w, 'watch');
  expect(await ask(w, 'runbooks')).toContain('None yet');
  expect(await ask(w, 'runbook sqli https://wiki.example.org/sqli?a=1&b=2')).toContain('Runbook for SQL injection set');
  await w.restart();
  expect(await ask(w, 'runbooks')).toContain(
    '<https://wiki.example.org/sqli?a=1&amp;b=2|https://wiki.example.org/sqli',
  );
  await through(w, '14:35', '15:10');
  const [alert] = posts(w);
  expect(alert && textOf(alert)).toContain(`Runbook: ${LINK}`);
  expect(await ask(w, 'check why')).toContain(`Runbook: ${LINK}`);
  expect(await ask(w, 'check')).not.toContain('Runbook');
  expect(await ask(w, 'runbook remove sql injection')).toContain('Runbook for SQL injection removed');
  expect(await ask(w, 'runbook remove sqli')).toContain('There’s no runbook for SQL injection');
  expect(await ask(w, 'check why')).not.toContain('Runbook');
});

it('may be those of hosts, by the name people know', async () => {
  const w = await watchedWorld([wave('15:00', '15:40', 60)], {
    environment: HOSTS,
    service: { habits: { hostLists: 'cloud' } },
  });
  await ask(w, 'watch on shop');
  const set = await ask(w, 'runbook on shop http://docs.internal:8080/a|b<c>"d');
  expect(set).toContain('Runbook for shop.example.org set');
  await through(w, '14:35', '15:10');
  const [alert] = posts(w);
  expect(alert && textOf(alert)).toContain('Runbook: <http://docs.internal:8080/a%7Cbc%22d|shop.example.org>');
});

it('are refused for other addresses, which are not shown either once they are no longer allowed', async () => {
  const w = await watchedWorld([], { environment: HOSTS });
  expect(await ask(w, 'runbook sqli')).toContain('What is the address of the runbook?');
  expect(await ask(w, 'runbook nosuch https://wiki.example.org/x')).toMatch(/nosuch/);
  expect(await ask(w, 'runbook sqli https://evil.example/x')).toMatch(
    /I may not link to evil\.example.*WAFBOT_RUNBOOK_HOSTS/s,
  );
  expect(await ask(w, 'runbook sqli http://wiki.example.org/x')).toContain('I may not link to wiki.example.org');
  expect(await ask(w, 'runbook sqli https://me:secret@wiki.example.org/x')).toContain('without them');
  expect(await ask(w, 'runbook sqli javascript://wiki.example.org/%0aalert(1)')).toContain('isn’t a web address');
  expect(await ask(w, 'runbooks')).toContain('None yet');
  const none = await watchedWorld([]);
  expect(await ask(none, 'runbook sqli https://wiki.example.org/x')).toMatch(
    /aren’t allowed yet.*WAFBOT_RUNBOOK_HOSTS/s,
  );
});
