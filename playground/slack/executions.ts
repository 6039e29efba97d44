/** Executions of the app's workflow steps: each is completed or failed once, and its token is valid until then. */
import { randomBytes } from 'node:crypto';
import type { Ids } from './ids.ts';
import type { JsonObject } from './json.ts';

export interface Execution {
  /** `Fx…` */
  readonly id: string;
  /** The step's callback ID. */
  readonly step: string;
  readonly inputs: JsonObject;
  readonly status: 'running' | 'completed' | 'failed';
  /** If it was completed. */
  readonly outputs?: JsonObject;
  /** If it failed: what Slackbot tells the person. */
  readonly error?: string;
}

type Ending = Pick<Execution, 'status' | 'outputs' | 'error'>;

export interface Executions {
  start(step: string, inputs: JsonObject): { readonly execution: Execution; readonly token: string };
  end(id: string, ending: Ending): void;
  get(id: string): Execution | undefined;
  /** The execution that a token was issued for. */
  byToken(token: string): Execution | undefined;
}

export function createExecutions(deps: {
  readonly ids: Ids;
  readonly changed: (execution: Execution) => void;
}): Executions {
  const executions = new Map<string, Execution>();
  const tokens = new Map<string, string>();
  const store = (execution: Execution): Execution => {
    executions.set(execution.id, execution);
    deps.changed(execution);
    return execution;
  };
  return {
    start(step, inputs) {
      const execution = store({ id: deps.ids.next('Fx'), step, inputs, status: 'running' });
      const token = `xwfp-${randomBytes(16).toString('hex')}`;
      tokens.set(token, execution.id);
      return { execution, token };
    },
    end(id, ending) {
      const execution = executions.get(id);
      if (execution !== undefined) store({ ...execution, ...ending });
    },
    get: (id) => executions.get(id),
    byToken: (token) => executions.get(tokens.get(token) ?? ''),
  };
}
