/** The playground's drawer: missions, attacks to start, things to break, the clock, and the bot's calls. */
import type { Drawer, DrawerState, Panel, Pressed } from '../page/index.ts';
import type { StatisticsService } from '../service/server.ts';
import type { LocalSlack } from '../slack/index.ts';
import type { WorkspaceClock } from '../workspace-clock.ts';
import { ATTACK_KINDS, type Attacks, createAttacks, STRENGTHS } from './attacks.ts';
import { type Breakages, createBreakages } from './breakages.ts';
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
/** Many changes arrive together; one update is enough for all of them. */
const UPDATE_DELAY_MS = 40;
/** A daily digest is due within this time. */
const NEXT_DIGEST_MS = 25 * HOUR_MS;
/** Overnight a watch may check less often; digests are due at such times. */
const STRIDE_MS = 15 * MINUTE_MS;

export function createDrawer({ slack, service, clock, command }: DrawerDeps): Drawer & { stop(): void } {
  const listeners = new Set<() => void>();
  let update: NodeJS.Timeout | undefined;
  const changed = () => {
    update ??= setTimeout(() => {
      update = undefined;
      missions.update();
      for (const listener of listeners) listener();
    }, UPDATE_DELAY_MS).unref();
  };
  const attacks = createAttacks(service, clock);
  const breakages = createBreakages(service, slack);
  const missions = createMissions({ slack, attacks, breakages, command });
  const calls = createCallList(slack, service);
  const unsubscribe = [slack.onChange(changed), service.onChange(changed), clock.onMove(changed)];
  return {
    state: (): DrawerState => ({
      moving: clock.moving(),
      missions: missions.list(),
      panels: [attackPanel(attacks, clock), clockPanel(clock), breakPanel(breakages)],
      calls: calls.lines(),
      callsTitle: 'Under the hood',
      callsSummary: calls.summary(),
    }),
    press: createPress({ slack, clock, attacks, breakages, changed }),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      clearTimeout(update);
      for (const end of unsubscribe) end();
      calls.stop();
    },
  };
}

interface PressDeps {
  readonly slack: LocalSlack;
  readonly clock: WorkspaceClock;
  readonly attacks: Attacks;
  readonly breakages: Breakages;
  readonly changed: () => void;
}

function createPress({ slack, clock, attacks, breakages, changed }: PressDeps): Drawer['press'] {
  async function move(work: () => Promise<void>): Promise<Pressed> {
    if (clock.moving()) return { error: 'The clock is already moving.' };
    const moved = work();
    changed();
    await moved;
    return {};
  }

  async function toNextDigest(): Promise<Pressed> {
    const before = countDigests(slack);
    const result = await move(() => clock.stride(NEXT_DIGEST_MS, STRIDE_MS, () => countDigests(slack) > before));
    const isDone = result.error !== undefined || countDigests(slack) > before;
    return isDone ? result : { notice: 'No digest was due within a day.' };
  }

  return async (button, values) => {
    switch (button) {
      case 'start':
        changed();
        return startAttack(attacks, values);
      case 'stop':
        attacks.stop();
        changed();
        return { notice: 'Attacks stopped.' };
      case 'five-minutes':
        return move(() => clock.forward(5 * MINUTE_MS));
      case 'quarter-hour':
        return move(() => clock.forward(15 * MINUTE_MS));
      case 'hour':
        return move(() => clock.forward(HOUR_MS));
      case 'digest':
        return toNextDigest();
      default: {
        const notice = breakages.toggle(button);
        changed();
        return notice === undefined ? { error: 'Unknown button.' } : { notice };
      }
    }
  };
}

function startAttack(attacks: Attacks, { kind, host, strength }: Readonly<Record<string, string>>): Pressed {
  const label = attacks.start(kind, host, strength);
  if (label === null) return { error: 'Unknown attack.' };
  const isMild = strength === 'mild' ? ' A watch takes 15 to 60 minutes to notice a mild one.' : '';
  return { notice: `Started: ${label}. It shows up after about five minutes, as with the real service.${isMild}` };
}

const countDigests = (slack: LocalSlack): number =>
  slack
    .channels()
    .flatMap(({ id }) => slack.messages(id))
    .filter(({ metadata }) => JSON.stringify(metadata ?? {}).includes('"digest/')).length;

function attackPanel(attacks: Attacks, clock: WorkspaceClock): Panel {
  const running = attacks.running();
  const isRunning = running.length > 0;
  return {
    id: 'attack',
    title: 'Start an attack',
    hint: 'Pick one of the four sites behind the firewall. The watch in #oncall checks every five minutes.',
    fields: [
      { name: 'kind', label: 'Type', options: ATTACK_KINDS.map(({ id, label }) => ({ value: id, label })) },
      { name: 'host', label: 'Host', options: attacks.hosts },
      { name: 'strength', label: 'Strength', options: STRENGTHS },
    ],
    buttons: [
      { id: 'start', label: 'Start attack', primary: !isRunning },
      ...(isRunning
        ? [
            { id: 'quarter-hour', label: 'Skip 15 minutes', primary: true, disabled: clock.moving() },
            { id: 'stop', label: 'Stop' },
          ]
        : []),
    ],
    status: isRunning ? `Running: ${running.map(({ label }) => label).join('; ')}.` : '',
  };
}

function breakPanel(breakages: Breakages): Panel {
  return {
    id: 'break',
    title: 'Break something',
    hint: 'Then ask the bot something: every error says what to do next.',
    fields: [],
    buttons: [...breakages.lasting(), ...breakages.oneTime()],
    status: '',
  };
}

function clockPanel(clock: WorkspaceClock): Panel {
  const disabled = clock.moving();
  return {
    id: 'clock',
    title: 'Fast-forward',
    hint: 'Everything due on the way happens: watches check, digests get posted.',
    fields: [],
    buttons: [
      { id: 'five-minutes', label: '+5 min', disabled },
      { id: 'hour', label: '+1 h', disabled },
      { id: 'digest', label: 'To the next digest', disabled },
    ],
    status: disabled ? 'Fast-forwarding…' : '',
  };
}
