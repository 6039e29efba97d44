/** A channel with as many watches as it can have: what is done to all of them holds nobody else up. */
import { expect, it } from 'vitest';
import { BotError } from '../../../src/errors.ts';
import { answerOrRefusal, openCommandsStage } from '../../fuzz/commands-stage.ts';
import { leastTurnMs } from '../../support/loop-meter.ts';

/** By the thread's own time; far above what it takes, because a busy machine takes longer, too. */
const MAX_TURN_MS = 50;
const away = (): Promise<never> => Promise.reject(new BotError('upstream_unavailable', 'The service is down.'));

it('quiet hours for 20 watches are set up in turns', async () => {
  const stage = await openCommandsStage({ timeline: away, distribution: away }, '2026-03-10T14:30:00Z');
  let asked = 0;
  const ask = (text: string) => {
    asked += 1;
    return answerOrRefusal(stage.commands, { user: `U${asked}`, channel: 'C1', userZone: null, text });
  };
  for (let n = 0; n < 20; n += 1) await ask(`watch attacks over ${500 + n} per 15m`);
  expect(await ask('quiet weekdays 22:00-06:00')).toEqual({ outcome: 'answered', fault: null });
  const again = () => ask('quiet weekdays 22:00-06:00');
  expect(await leastTurnMs(again, { goodMs: MAX_TURN_MS })).toBeLessThan(MAX_TURN_MS);
  await stage.close();
});
