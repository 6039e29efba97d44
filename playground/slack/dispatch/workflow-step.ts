/** Workflow Builder, which runs a step of the app: it fills in who runs the workflow, and refuses inputs that don't fit. */
import { randomBytes } from 'node:crypto';
import type { Execution } from '../executions.ts';
import type { JsonObject } from '../json.ts';
import { checkParameters } from '../validation/parameters.ts';
import type { Problem } from '../validation/problem.ts';
import type { StepDefinition } from '../workspace.ts';
import { dispatchEvent, type EventResult } from './events.ts';
import { type DispatchDeps, notSent } from './result.ts';

export interface StepInput {
  /** The step's callback ID. */
  readonly step: string;
  /** What the builder of the workflow has set. Nobody can set who runs it. */
  readonly inputs?: JsonObject;
  /** Who runs the workflow; by id or name, by default the workspace's first one. */
  readonly user?: string;
}

export interface StepResult extends EventResult {
  /** Undefined if Workflow Builder didn't run the step. */
  readonly execution?: Execution;
  /** What is wrong with the inputs. */
  readonly problems: readonly Problem[];
}

const PERSON = 'slack#/types/user_context';

export async function runStep(input: StepInput, deps: DispatchDeps): Promise<StepResult> {
  const { state } = deps;
  const { team, app } = state.directory.workspace;
  const refused = (error: string, problems: readonly Problem[] = []) => ({ ...notSent(error), problems });
  if (team.plan === 'free') return refused('paid_plan_required');
  const step = app.functions[input.step];
  if (step === undefined) return refused('step_not_found');
  const inputs = { ...input.inputs, ...peopleOf(step, state.directory.personNamed(input.user).id) };
  const problems = checkParameters(inputs, step.input_parameters);
  if (problems.length > 0) return refused('invalid_inputs', problems);
  const { execution, token } = state.executions.start(input.step, inputs);
  const event = {
    type: 'function_executed',
    function: wireStep(input.step, step, deps),
    inputs,
    function_execution_id: execution.id,
    workflow_execution_id: state.ids.next('Wx'),
    event_ts: state.ids.ts(),
    bot_access_token: token,
  };
  return { ...(await dispatchEvent(event, deps)), execution, problems };
}

const peopleOf = ({ input_parameters: { properties } }: StepDefinition, id: string): JsonObject =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([, { type }]) => type === PERSON)
      .map(([name]) => [name, { id, secret: randomBytes(8).toString('hex') }]),
  );

function wireStep(callbackId: string, step: StepDefinition, { state }: DispatchDeps): JsonObject {
  const parameters = ({ properties, required = [] }: StepDefinition['input_parameters']) =>
    Object.entries(properties).map(([name, parameter]) => ({
      ...parameter,
      name,
      is_required: required.includes(name),
    }));
  return {
    id: 'Fn00000000A',
    callback_id: callbackId,
    title: step.title,
    description: step.description,
    type: 'app',
    input_parameters: parameters(step.input_parameters),
    output_parameters: parameters(step.output_parameters),
    app_id: state.directory.workspace.app.id,
    date_created: 1_700_000_000,
    date_updated: 1_700_000_000,
    date_deleted: 0,
  };
}
