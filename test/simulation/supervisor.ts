/** Runs the processes of a history: starts one again when it has died or could not start, as Docker or systemd do. */
import { SECOND_MS } from '../../src/time-units.ts';
import { openReplica, type Replica, type Surroundings } from './replica.ts';
import type { Life } from './world.ts';

export type Supervisor = ReturnType<typeof createSupervisor>;

const MAX_DOWN_S = 90;

export function createSupervisor(around: Surroundings) {
  const { world } = around;
  const { chance } = world;
  /** With `null` until it runs. */
  const running = new Map<Life, Replica | null>();
  const nameOf = ({ name }: Life): string => name.split('#')[0] ?? name;
  let lives = 0;

  function start(name: string): void {
    lives += 1;
    const life: Life = { name: `${name}#${lives}`, alive: true, frozenUntilMs: 0 };
    running.set(life, null);
    world.record(`${life.name} starts`);
    openReplica(around, life).then(
      (replica) => {
        running.set(life, replica);
        world.record(`${life.name} runs`);
      },
      (error: unknown) => {
        world.record(`${life.name} could not start: ${String(error)}`);
        end(life);
      },
    );
  }

  function end(life: Life): void {
    life.alive = false;
    running.delete(life);
    world.after(chance.between(1, MAX_DOWN_S) * SECOND_MS, null, () => start(nameOf(life)));
  }

  function anyLife(): Life | undefined {
    const lives = [...running.keys()];
    return lives[chance.between(0, lives.length)];
  }

  return {
    start,
    /** Those that have started and aren't standing still. */
    ready: (): Replica[] =>
      [...running].flatMap(([life, replica]) =>
        replica === null || life.frozenUntilMs > world.nowMs() ? [] : [replica],
      ),
    running: (): Replica[] => [...running.values()].filter((replica) => replica !== null),
    kill(): void {
      const life = anyLife();
      if (life === undefined) return;
      world.fault('process killed', life.name);
      end(life);
    },
    freeze(ms: number): void {
      const life = anyLife();
      if (life !== undefined) world.freeze(life, ms);
    },
    killAll(): void {
      for (const life of running.keys()) life.alive = false;
      running.clear();
    },
  };
}
