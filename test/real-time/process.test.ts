import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BotProcess } from '../support/bot-process.ts';
import { type BuiltImage, buildImage } from '../support/built-image.ts';
import { casesOf } from '../support/counts.ts';
import { cleanUpAfterEach, healthUrl, later, portOf, runBot, startStandIns } from '../support/process-stage.ts';
import { CHECKED_OUT } from '../support/program.ts';
import { HOSTILE_TARGETS, sendHalfBody, sendHalfHead, statusOf } from '../support/raw-http.ts';

cleanUpAfterEach();

// It starts in a third of the time that the checkout takes.
let image: BuiltImage;
beforeAll(async () => {
  image = await buildImage();
});
afterAll(() => image?.remove());

const runBuilt = (environment: Readonly<Record<string, string>>, args: readonly string[] = ['start']): BotProcess =>
  runBot(environment, args, image.program);

/** A port that is held by a listening server, on every address of the machine, until the test is over. */
async function takePort(): Promise<{ port: number }> {
  const server: Server = createServer();
  server.listen(0);
  await once(server, 'listening');
  later(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port };
}

describe('without tokens, from a checkout', () => {
  it('prints one line with a local address, serves it, and ends well on Ctrl-C', async () => {
    const bot = runBot({ PORT: '0' }, ['start'], CHECKED_OUT);
    await bot.printed(/\n/);
    expect(bot.output.out).toMatch(/^wafbot playground: open http:\/\/127\.0\.0\.1:\d+ [^\n]+\n$/);
    const url = /http:\/\/[\d.:]+/.exec(bot.output.out)?.[0] ?? '';
    expect((await fetch(url)).status).toBe(200);
    bot.signal('SIGINT');
    expect(await bot.ended).toBe(0);
    expect(bot.output).toEqual({ out: expect.stringMatching(/^[^\n]+\n$/), err: '' });
  });

  it('says so where the port that was asked for is taken', async () => {
    const { port } = await takePort();
    const bot = runBot({ PORT: String(port) }, ['start'], CHECKED_OUT);
    expect(await bot.ended).toBe(78);
    expect(bot.output).toEqual({
      out: '',
      err: `wafbot cannot start. Port ${port} is already in use. Set PORT to a free port.\n`,
    });
  });
});

describe('without tokens, in production', () => {
  it('is refused with every name that is missing, and opens no playground', async () => {
    const bot = runBot({ NODE_ENV: 'production', PORT: '0' });
    expect(await bot.ended).toBe(78);
    expect(bot.output).toEqual({ out: '', err: expect.stringContaining('SLACK_BOT_TOKEN is missing; copy it from') });
    expect(bot.output.err).toMatch(/^wafbot cannot start\. The configuration has \d problems\.\n/);
    for (const name of ['SLACK_APP_TOKEN', 'WAF_BASE_URL', 'WAF_PROJECT_ID']) {
      expect(bot.output.err).toContain(`  - ${name} is missing; `);
    }
    expect(bot.output.err).toContain('run "wafbot playground"');
  });
});

describe('with some of the tokens', () => {
  it.each<Record<string, string>>([{}, { NODE_ENV: 'production' }])(
    'is refused, never a playground: %o',
    async (environment) => {
      const bot = runBot({ ...environment, SLACK_BOT_TOKEN: 'xoxb-bot-secret', PORT: '0' });
      expect(await bot.ended).toBe(78);
      expect(bot.output).toEqual({ out: '', err: expect.stringContaining('SLACK_APP_TOKEN is missing; ') });
      expect(bot.output.err).not.toMatch(/SLACK_BOT_TOKEN is missing|playground|bot-secret/);
    },
  );
});

describe('with tokens', () => {
  const PORTS = [
    ['socket', 'PORT', {}],
    ['http', 'PORT', { WAFBOT_HEALTH_PORT: '0' }],
    ['socket', 'WAFBOT_HEALTH_PORT', { PORT: '0' }],
    ['http', 'WAFBOT_HEALTH_PORT', { PORT: '0' }],
  ] as const;
  it.each(casesOf(PORTS, ([mode, setting]) => (mode === 'http') === (setting === 'PORT')))(
    'says so where the port is taken, in %s mode, %s',
    async (mode, setting, others) => {
      const { environment } = await startStandIns(mode);
      const { port } = await takePort();
      const bot = runBuilt({ ...environment, ...others, [setting]: String(port), WAFBOT_LOG_LEVEL: 'warn' });
      expect(await bot.ended).toBe(78);
      expect(bot.output.err).toBe(
        `wafbot cannot start. Port ${port} is already in use. Set ${setting} to a free port.\n`,
      );
    },
  );

  it('lives on when its health port is sent targets that are no address', async () => {
    const { environment } = await startStandIns('socket');
    const bot = runBuilt(environment);
    await bot.printed(/wafbot is ready/);
    const port = portOf(await healthUrl(bot));
    for (const target of HOSTILE_TARGETS) expect(await statusOf(port, target), target).not.toBe(200);
    expect(await statusOf(port, '/readyz?verbose')).toBe(200);
    bot.signal('SIGTERM');
    expect(await bot.ended).toBe(0);
  });

  it('ends well in HTTP mode while clients have sent half a request to each of its ports', async () => {
    const { environment } = await startStandIns('http');
    const bot = runBuilt(environment);
    await bot.printed(/wafbot is ready/);
    const slackPort = Number(/"port":(\d+)[^\n]*Slack requests/.exec(bot.output.out)?.[1]);
    const clients = [
      await sendHalfBody(slackPort, '/slack/events'),
      await sendHalfHead(slackPort),
      await sendHalfHead(portOf(await healthUrl(bot))),
    ];
    bot.signal('SIGTERM');
    expect(await bot.ended).toBe(0);
    for (const client of clients) client.destroy();
  });

  it('is ready for a supervisor, and ends well when told to', async () => {
    const { environment } = await startStandIns('socket');
    const bot = runBuilt(environment);
    await bot.printed(/wafbot is ready/);
    const ready = await fetch(`${await healthUrl(bot)}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true, store: 'ok', slack: 'ok' }]);
    bot.signal('SIGTERM');
    expect(await bot.ended).toBe(0);
    for (const name of ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'WAF_PASSWORD'] as const) {
      expect(bot.output.out).not.toContain(environment[name]);
    }
  });
});

describe('the health check of a container', () => {
  it.each(casesOf(['socket', 'http'] as const, (mode) => mode === 'http'))(
    'finds the bot by its configuration alone, in %s mode',
    async (mode) => {
      const { environment } = await startStandIns(mode);
      const bot = runBuilt(environment);
      await bot.printed(/wafbot is ready/);
      const port = portOf(await healthUrl(bot));
      const setting: Record<string, string> =
        mode === 'socket' ? { PORT: String(port) } : { WAFBOT_HEALTH_PORT: `0.0.0.0:${port}` };
      const check = runBot({ ...environment, ...setting }, ['health'], image.program);
      expect([await check.ended, check.output]).toEqual([0, { out: 'The bot is ready.\n', err: '' }]);
      bot.signal('SIGTERM');
      await bot.ended;
      const later = runBot({ ...environment, ...setting }, ['health'], image.program);
      expect([await later.ended, later.output]).toEqual([1, { out: '', err: 'The bot is not ready: see its log.\n' }]);
    },
  );
});

describe('while Slack is away', () => {
  it.each(casesOf(['socket', 'http'] as const, (mode) => mode === 'socket'))(
    'over %s: lives, is not ready, and ends when told to',
    async (mode) => {
      const { environment } = await startStandIns(mode);
      const bot = runBuilt({ ...environment, SLACK_API_URL: 'http://127.0.0.1:9/api', PORT: '0' });
      const url = await healthUrl(bot);
      const status = async (path: string) => (await fetch(`${url}${path}`)).status;
      expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503]);
      bot.signal('SIGTERM');
      expect(await bot.ended).toBe(0);
      // What was open is closed in order; nothing of it fails, and the start that was given up is no fault.
      expect(bot.output.err).toBe('');
      expect(bot.output.out).not.toMatch(/could not close after a failed start|could not stop cleanly/);
    },
  );
});

describe('the configuration', () => {
  const SECRETS = { SLACK_BOT_TOKEN: 'wrong-bot-secret', SLACK_APP_TOKEN: 'xapp-app-secret', WAF_PASSWORD: 'hunter22' };
  const SERVICE = { WAF_USERNAME: 'bot', WAF_DOMAIN_NAME: 'acme', WAF_IAM_URL: 'https://iam.example.com' };

  it('is refused with every fault at once and no secret', async () => {
    const bot = runBuilt({ ...SECRETS, ...SERVICE, WAF_BASE_URL: 'https://waf.example.com', PORT: 'many' });
    expect(await bot.ended).toBe(78);
    expect(bot.output.out).toBe('');
    expect(bot.output.err.split('\n')).toEqual([
      'wafbot cannot start. The configuration has 3 problems.',
      expect.stringMatching(/^ {2}- SLACK_BOT_TOKEN /),
      expect.stringMatching(/^ {2}- PORT /),
      expect.stringMatching(/^ {2}- WAF_PROJECT_ID is missing/),
      '',
    ]);
    for (const secret of Object.values(SECRETS)) expect(bot.output.err).not.toContain(secret);
  });

  it('of projects is refused with every fault at once and no secret', async () => {
    const yaml = 'projects:\n  eu:\n    base_url: ftp://waf\n    pasword: pass-word-secret\n';
    const bot = runBuilt({
      SLACK_APP_TOKEN: 'xapp-app-secret',
      SLACK_BOT_TOKEN: 'xoxb-bot-secret',
      WAFBOT_PROJECTS: yaml,
    });
    expect(await bot.ended).toBe(78);
    expect(bot.output.err.split('\n')).toEqual([
      expect.stringMatching(/^wafbot cannot start\. The configuration has \d+ problems\.$/),
      '  - WAFBOT_PROJECTS: project eu: pasword is not a known key; did you mean password?',
      '  - WAFBOT_PROJECTS: project eu: base_url must be a URL such as https://waf.example.com.',
      '  - WAFBOT_PROJECTS: project eu: project_id is missing; set the ID of the project.',
      expect.stringContaining('project eu: iam_url is missing'),
      expect.stringContaining('project eu: No credentials are set; set username, password and domain_name, or'),
      '',
    ]);
    expect(bot.output.err).not.toContain('pass-word-secret');
  });

  it('is checked without starting, and shown without its secrets', async () => {
    const good = { ...SECRETS, SLACK_BOT_TOKEN: 'xoxb-bot-secret', WAFBOT_STORE: 'redis://:sesame@127.0.0.1:1' };
    const service = { ...SERVICE, WAF_BASE_URL: 'https://waf.example.com', WAF_PROJECT_ID: 'p-1' };
    const bot = runBuilt({ ...good, ...service }, ['check-config']);
    expect(await bot.ended).toBe(0);
    expect(bot.output.err).toBe('');
    expect(bot.output.out).toMatch(/^The configuration is valid\.\n/);
    expect(bot.output.out).toContain('Slack: Socket Mode, tokens [redacted]');
    for (const secret of [...Object.values(good), 'sesame']) expect(bot.output.out).not.toContain(secret);
  });
});
