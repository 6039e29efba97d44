/** The local service keeps the contract that the simulation's model of the service keeps. */
import { afterEach, describe } from 'vitest';
import type { Fault } from '../../../playground/service/faults.ts';
import { HOUR_MS } from '../../../src/time-units.ts';
import {
  SERVICE_NOW_MS,
  SERVICE_TRAFFIC,
  type ServiceFault,
  serviceContract,
} from '../../contract/service.contract.ts';
import { openStage, type Stage } from '../../support/waf-stage.ts';

const earlier = (points: unknown): unknown =>
  Array.isArray(points) ? points.map((point) => ({ ...point, time: point.time - 3 * HOUR_MS })) : points;

const FAULTS: Readonly<Record<ServiceFault, Fault>> = {
  'server error': { kind: 'refuse', code: 'WAF.5003' },
  'no answer': { kind: 'wait', until: new Promise(() => {}) },
  'wrong window': {
    kind: 'change',
    change: ({ requests, attacks }) => ({ requests: earlier(requests), attacks: earlier(attacks) }),
  },
};

describe('the local service', () => {
  let stage: Stage;
  afterEach(() => stage.close());

  serviceContract(async () => {
    stage = await openStage(SERVICE_TRAFFIC);
    stage.clock.nowMs = SERVICE_NOW_MS;
    return {
      statistics: stage.client('aksk', { tryTimeoutMs: 200 }),
      meet: (fault, times) => void stage.service.misbehave(FAULTS[fault], { on: 'timeline', times }),
    };
  });
});
