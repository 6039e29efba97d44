/** The playground's drawer: missions, attacks to start, things to break, the clock, and the bot's calls. */
import type { Drawer, DrawerState, Panel, Pressed } from '../page/index.ts';
import type { StatisticsService } from '../service/server.ts';
import type { LocalSlack } from '../slack/index.ts';
import type { WorkspaceClock } from '../workspace-clock.ts';
import { ATTACK_KINDS, type Attacks, createAttacks, STRENGTHS } from './attacks.ts';
import { type Breakages, createBreakages } from './breakages.ts';
import { createCallList } from './calls.ts';
import { endingOf, type PlayedNight } from './ending.ts';
import { countdownOf, describeHold, type HeldBack } from './held-back.ts';
import { createMissions } from './missions.ts';
import { createMoves, type MovesDeps } from './moves.ts';

interface DrawerDeps {
  readonly slack: LocalSlack;
  readonly service: StatisticsService;
  readonly clock: WorkspaceClock;
  readonly command: string;
  readonly upcoming: MovesDeps['upcoming'];
  /** Why the bot has paused requests to the service, and until when. */
  readonly heldBack: () => HeldBack | null;
  readonly night: PlayedNight;
}

/** Many changes arrive together; one update is enough for all of them. */
const UPDATE_DELAY_MS = 40;

export function createDrawer(deps: DrawerDeps): Drawer & { stop(): void } {
  const { slack, service, clock, command, upcoming, heldBack, night } = deps;
  const listeners = new Set<() => void>();
  let update: NodeJS.Timeout | undefined;
  const notify = async () => {
    missions.update();
    // What a move does is known before it begins.
    if (!clock.moving()) await moves.refresh();
    update = undefined;
    for (const listener of listeners) listener();
  };
  const changed = () => {
    update ??= setTimeout(() => void notify(), UPDATE_DELAY_MS).unref();
  };
  const moves = createMoves({ slack, service, clock, upcoming, changed });
  const attacks = createAttacks(service, clock);
  const breakages = createBreakages(service, slack);
  const missions = createMissions({ slack, attacks, breakages, command });
  const calls = createCallList(slack, service);
  changed();
  const unsubscribe = [slack.onChange(changed), service.onChange(changed), clock.onMove(changed)];
  return {
    state: (): DrawerState => ({
      moving: clock.moving(),
      missions: missions.list(),
      ending: endingOf(missions.list(), missions.facts(), night),
      panels: [attackPanel(attacks, clock), moves.panel(), breakPanel(breakages, heldBack())],
      calls: calls.lines(),
      callsTitle: 'Under the hood',
      callsSummary: calls.summary(),
    }),
    press: createPress({ moves, attacks, breakages, heldBack, clock, changed }),
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

interface PressDeps extends Pick<DrawerDeps, 'heldBack' | 'clock'> {
  readonly moves: ReturnType<typeof createMoves>;
  readonly attacks: Attacks;
  readonly breakages: Breakages;
  readonly changed: () => void;
}

function createPress({ moves, attacks, breakages, heldBack, clock, changed }: PressDeps): Drawer['press'] {
  return async (button, values) => {
    switch (button) {
      case 'start':
        changed();
        return startAttack(attacks, values);
      case 'stop':
        attacks.stop();
        changed();
        return { notice: 'Attacks stopped.' };
      default: {
        const moved = await moves.press(button);
        if (moved !== undefined) return moved;
        const notice = breakages.toggle(button);
        changed();
        if (notice === undefined) return { error: 'Unknown button.' };
        const held = breakages.isOutage() ? null : heldBack();
        return { notice: held === null ? notice : `${notice} ${describeHold(held, clock.nowMs())}` };
      }
    }
  };
}

function startAttack(attacks: Attacks, { kind, host, strength }: Readonly<Record<string, string>>): Pressed {
  const label = attacks.start(kind, host, strength);
  if (label === null) return { error: 'Unknown attack.' };
  return { notice: `Started: ${label}` };
}

function attackPanel(attacks: Attacks, clock: WorkspaceClock): Panel {
  const running = attacks.running();
  const isRunning = running.length > 0;
  return {
    id: 'attack',
    title: 'Start an attack',
    hint: 'Pick one of the four sites behind the firewall. The watch in #oncall checks every five minutes. If it’s silent, ask for “watches”: they say why.',
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
    status: running.map(({ label, alerts }) => `Running: ${label}. ${alerts}`).join(' '),
  };
}

function breakPanel(breakages: Breakages, held: HeldBack | null): Panel {
  return {
    id: 'break',
    title: 'Break something',
    hint: 'Then ask the bot something: every error says what to do next.',
    fields: [],
    buttons: [...breakages.lasting(), ...breakages.oneTime()],
    status: '',
    countdown: held === null ? undefined : countdownOf(held),
  };
}
