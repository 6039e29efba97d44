/** The drawer of the playground: missions, attacks to start, things to break, the clock, and the calls. */
import type { Drawer, DrawerState, Panel, Pressed } from '../page/index.ts';
import type { StatisticsService } from '../service/server.ts';
import type { LocalSlack } from '../slack/index.ts';
import type { WorkspaceClock } from '../workspace-clock.ts';
import { ATTACK_KINDS, createAttacks, STRENGTHS } from './attacks.ts';
import { createBreakages } from './breakages.ts';
import { createCallList } from './calls.ts';
import { createMissions } from './missions.ts';

interface DrawerDeps {
  readonly slack: LocalSlack;
  readonly service: StatisticsService;
  readonly clock: WorkspaceClock;
  readonly command: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LOOK_MS = 40;
/** Digests come at least this often where somebody looks forward to one. */
const NEXT_DIGEST_MS = 25 * HOUR_MS;
/** Over a night a watch may look less often; digests come at such times. */
const STRIDE_MS = 15 * MINUTE_MS;

export function createDrawer({ slack, service, clock, command }: DrawerDeps): Drawer & { stop(): void } {
  const listeners = new Set<() => void>();
  let looking: NodeJS.Timeout | undefined;
  /** Many changes come together, and what they amount to need not be looked at after each. */
  const changed = () => {
    looking ??= setTimeout(() => {
      looking = undefined;
      missions.look();
      for (const listener of listeners) listener();
    }, LOOK_MS).unref();
  };
  const attacks = createAttacks(service, clock);
  const breakages = createBreakages(service, slack);
  const missions = createMissions({ slack, attacks, breakages, command });
  const calls = createCallList(slack, service);
  const unsubscribe = [slack.onChange(changed), service.onChange(changed), clock.onMove(changed)];

  const digests = () =>
    slack
      .channels()
      .flatMap(({ id }) => slack.messages(id))
      .filter(({ metadata }) => JSON.stringify(metadata ?? {}).includes('"digest/')).length;

  async function move(work: () => Promise<void>): Promise<Pressed> {
    if (clock.moving()) return { error: 'The clock is already being moved.' };
    const moved = work();
    changed();
    await moved;
    return {};
  }
  const forward = (ms: number) => move(() => clock.forward(ms));

  async function toNextDigest(): Promise<Pressed> {
    const before = digests();
    const result = await move(() => clock.stride(NEXT_DIGEST_MS, STRIDE_MS, () => digests() > before));
    return result.error !== undefined || digests() > before ? result : { said: 'A day has passed without a digest.' };
  }

  async function press(button: string, values: Readonly<Record<string, string>>): Promise<Pressed> {
    switch (button) {
      case 'start': {
        const label = attacks.start(values.kind, values.host, values.strength);
        if (label === null) return { error: 'There is no such attack.' };
        changed();
        const later =
          values.strength === 'mild' ? ' A watch calls a mild one after a quarter of an hour to an hour.' : '';
        return {
          said: `${label}: it has begun. Numbers follow some five minutes later, as in the real service.${later}`,
        };
      }
      case 'stop':
        attacks.stop();
        changed();
        return { said: 'The attacks have ended.' };
      case 'quarter-hour':
        return forward(15 * MINUTE_MS);
      case 'five-minutes':
        return forward(5 * MINUTE_MS);
      case 'hour':
        return forward(HOUR_MS);
      case 'digest':
        return toNextDigest();
      default: {
        const said = breakages.toggle(button);
        changed();
        return said === undefined ? { error: 'There is no such button.' } : { said };
      }
    }
  }

  function attackPanel(): Panel {
    const running = attacks.running();
    const disabled = clock.moving();
    return {
      id: 'attack',
      title: 'Start an attack',
      hint: 'On one of the four sites behind the firewall. The watch in #oncall looks every five minutes.',
      fields: [
        { name: 'kind', label: 'Kind', options: ATTACK_KINDS.map(({ id, label }) => ({ value: id, label })) },
        { name: 'host', label: 'Host', options: attacks.hosts },
        { name: 'strength', label: 'Strength', options: STRENGTHS },
      ],
      buttons: [
        { id: 'start', label: 'Start the attack', primary: running.length === 0 },
        ...(running.length === 0
          ? []
          : [
              { id: 'quarter-hour', label: 'Let 15 minutes pass', primary: true, disabled },
              { id: 'stop', label: 'Stop' },
            ]),
      ],
      status: running.length === 0 ? '' : `Running: ${running.map(({ label }) => label).join('; ')}.`,
    };
  }

  function breakPanel(): Panel {
    const all = breakages.list();
    return {
      id: 'break',
      title: 'Break something',
      hint: 'And ask meanwhile: every failure is a sentence that says what to do next.',
      fields: [],
      buttons: [
        ...all.filter(({ once }) => !once).map(({ id, label, hint }) => ({ id, label, hint, on: breakages.isOn(id) })),
        ...all.filter(({ once }) => once).map(({ id, label, hint }) => ({ id, label, hint })),
      ],
      status: '',
    };
  }

  function clockPanel(): Panel {
    const disabled = clock.moving();
    return {
      id: 'clock',
      title: 'Move the clock',
      hint: 'Everything that falls due on the way happens: watches look, digests are posted.',
      fields: [],
      buttons: [
        { id: 'five-minutes', label: '+5 min', disabled },
        { id: 'hour', label: '+1 h', disabled },
        { id: 'digest', label: 'To the next digest', disabled },
      ],
      status: disabled ? 'Time is running.' : '',
    };
  }

  return {
    state: (): DrawerState => ({
      moving: clock.moving(),
      missions: missions.list(),
      panels: [attackPanel(), clockPanel(), breakPanel()],
      calls: calls.lines(),
      callsTitle: 'Under the hood',
      callsSummary: calls.summary(),
    }),
    press,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      clearTimeout(looking);
      for (const end of unsubscribe) end();
      calls.stop();
    },
  };
}
