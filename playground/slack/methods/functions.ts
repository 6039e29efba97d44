/** functions.*: the end of a workflow step. */
import { type JsonObject, objectAt, stringAt } from '../json.ts';
import type { SlackState } from '../state.ts';
import { checkParameters } from '../validation/parameters.ts';
import { type MethodEntry, type Reply, refuse, refuseProblems } from './reply.ts';

function running(args: JsonObject, { executions }: SlackState) {
  const execution = executions.get(stringAt(args, 'function_execution_id') ?? '');
  if (execution === undefined) return refuse('function_execution_not_found');
  return execution.status === 'running' ? execution : refuse('execution_not_in_running_state');
}

const completeSuccess = (args: JsonObject, state: SlackState): Reply => {
  const execution = running(args, state);
  if ('ok' in execution) return execution;
  const outputs = objectAt(args, 'outputs');
  if (outputs === undefined) return refuse('invalid_arguments');
  const step = state.directory.workspace.app.functions[execution.step];
  const problems = step === undefined ? [] : checkParameters(outputs, step.output_parameters);
  if (problems.length > 0) return refuseProblems(problems);
  state.executions.end(execution.id, { status: 'completed', outputs });
  return { ok: true };
};

const completeError = (args: JsonObject, state: SlackState): Reply => {
  const execution = running(args, state);
  if ('ok' in execution) return execution;
  const error = stringAt(args, 'error') ?? '';
  if (error === '') return refuse('invalid_arguments');
  state.executions.end(execution.id, { status: 'failed', error });
  return { ok: true };
};

export const FUNCTION_METHODS: Readonly<Record<string, MethodEntry>> = {
  'functions.completeSuccess': { run: completeSuccess, scopes: [] },
  'functions.completeError': { run: completeError, scopes: [] },
};
