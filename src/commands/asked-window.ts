/** The sentence a person would type for a time range, hosts and a zone that a program gives separately. */
import { quoteName } from '../grammar/hosts.ts';

interface WindowInWords {
  readonly range?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly zone?: string | undefined;
  readonly project?: string | undefined;
}

export function sentenceOf(
  verb: string,
  { range, hosts = [], zone, project }: WindowInWords,
  ...flags: readonly string[]
): string {
  return [
    verb,
    range,
    hosts.length === 0 ? undefined : `on ${hosts.map(quoteName).join(', ')}`,
    zone === undefined ? undefined : `in ${zone}`,
    ...flags,
    project === undefined ? undefined : `in project ${project}`,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}
