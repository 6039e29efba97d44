/** Inputs and outputs of a workflow step, checked against what the manifest declares. */
import { isObject, type JsonObject } from '../json.ts';
import type { StepDefinition } from '../workspace.ts';
import type { Problem } from './problem.ts';

const isText = (value: unknown): boolean => typeof value === 'string';
const isId = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isText,
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  'slack#/types/channel_id': isId(/^[CG][A-Z0-9]{8,}$/),
  'slack#/types/user_id': isId(/^[UW][A-Z0-9]{8,}$/),
  'slack#/types/user_context': (value) => isObject(value) && isText(value.id) && isText(value.secret),
};

export function checkParameters(
  values: JsonObject,
  { properties, required = [] }: StepDefinition['input_parameters'],
): readonly Problem[] {
  const problem = (name: string, message: string): Problem => ({
    error: 'parameter_validation_failed',
    message,
    pointer: `/${name}`,
  });
  const missing = required.filter((name) => values[name] === undefined || values[name] === null || values[name] === '');
  const wrong = Object.entries(values).flatMap(([name, value]) => {
    const declared = properties[name];
    if (declared === undefined) return [problem(name, 'not declared')];
    return FITS[declared.type]?.(value) === true ? [] : [problem(name, `not of type ${declared.type}`)];
  });
  return [...missing.map((name) => problem(name, 'missing required field')), ...wrong];
}
