/** Validates the options with which an app answers what a person types into a menu with an external source. */
import { z } from 'zod';
import { option, optionGroup } from './elements.ts';
import { type Problem, problemsOf } from './problem.ts';

const MAX_OPTIONS = 100;

const answer = z
  .strictObject({
    options: z.array(option).max(MAX_OPTIONS).optional(),
    option_groups: z.array(optionGroup).max(MAX_OPTIONS).optional(),
  })
  .refine((value) => (value.options === undefined) !== (value.option_groups === undefined), {
    message: 'must provide exactly one of: options, option_groups',
  });

export const checkOptions = (value: unknown): readonly Problem[] => problemsOf(answer, value, [], 'invalid_options');
