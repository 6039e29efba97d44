/** The steps that people can add to a workflow in Workflow Builder, as the manifest declares them, and what each asks. */
import type { App } from '@slack/bolt';
import { z } from 'zod';
import { sentenceOf } from '../../commands/asked-window.ts';
import type { Steps, StepTarget } from '../run-step.ts';

/** Slack fills it in with whoever runs the workflow. Unlike a user ID, the builder of a workflow can't set it. */
const PERSON = {
  type: 'slack#/types/user_context',
  title: 'Person',
  description: 'Who runs the workflow. Slack fills this in.',
};
const CHANNEL = {
  type: 'slack#/types/channel_id',
  title: 'Channel',
  description: 'Its settings for hosts, zone and project apply, and the answer is posted there.',
};
const RANGE = {
  type: 'string',
  title: 'Time range',
  description: 'Such as: last 3h, last night, yesterday 14:00-16:00',
};
const INPUTS = {
  hosts: {
    type: 'string',
    title: 'Hosts',
    description: 'Names, separated by commas. By default those of the channel.',
  },
  zone: { type: 'string', title: 'Time zone', description: 'Such as Europe/Berlin. By default that of the channel.' },
  project: { type: 'string', title: 'Project', description: 'If there are several. By default that of the channel.' },
  post: { type: 'boolean', title: 'Post the answer', description: 'In the channel, with its chart. Yes by default.' },
};
const OUTPUTS = {
  properties: {
    verdict: { type: 'string', title: 'Verdict', description: 'calm, elevated, surge, past or not_enough_data' },
    finding: { type: 'string', title: 'Finding', description: 'The heading of the answer' },
    numbers: { type: 'string', title: 'Numbers', description: 'Hosts, times and numbers in a few lines' },
    attacks: { type: 'number', title: 'Attacks', description: 'In the whole time range. Empty if unknown.' },
    requests: { type: 'number', title: 'Requests', description: 'In the whole time range. Empty if unknown.' },
    link: { type: 'string', title: 'Link', description: 'To the posted answer. Empty if it was not posted.' },
  },
  required: ['verdict', 'finding', 'numbers'],
};

/** By callback ID, as in a manifest. */
export const STEPS = {
  waf_check: {
    title: 'WAF check',
    description: 'Is traffic normal, or is there an attack?',
    input_parameters: {
      properties: { person: PERSON, channel: CHANNEL, range: RANGE, ...INPUTS },
      required: ['person', 'channel'],
    },
    output_parameters: OUTPUTS,
  },
  waf_report: {
    title: 'WAF report',
    description: 'The report on a past time range, with its numbers as files',
    input_parameters: {
      properties: { person: PERSON, channel: CHANNEL, range: RANGE, ...INPUTS },
      required: ['person', 'channel', 'range'],
    },
    output_parameters: OUTPUTS,
  },
} as const;

const VERBS = { waf_check: 'check', waf_report: 'incident' } as const;

/** What the builder of a workflow leaves empty is missing, or an empty text. */
const text = z
  .string()
  .nullish()
  .transform((value) => value?.trim() || undefined);
const GIVEN = z.object({
  person: z.object({ id: z.string().min(1) }),
  channel: z.string().min(1),
  range: text,
  hosts: text,
  zone: text,
  project: text,
  post: z.boolean().nullish(),
});

const INCOMPLETE =
  'This step needs a channel, and a person who runs the workflow. Set them in Workflow Builder, or start the workflow in a way that has a person.';

export function listenToSteps(app: App, steps: Steps): void {
  for (const name of ['waf_check', 'waf_report'] as const) {
    app.function(name, { autoAcknowledge: false }, async ({ inputs, event, body, ack }) => {
      const { function_execution_id: execution, bot_access_token: token } = event;
      const received = { token, acknowledge: async () => void (await ack()) };
      const given = GIVEN.safeParse(inputs);
      if (!given.success) return steps.refuse(execution, INCOMPLETE, received);
      const { person, channel, hosts, post, ...window } = given.data;
      const verb = VERBS[name];
      const step = { execution, verb, posts: post ?? true, team: body.team_id };
      // Nobody looks at the channel for an answer that only the person may see.
      const target: StepTarget = { channel, user: person.id, userIsElsewhere: true, askedPublicly: true, step };
      await steps.run(sentenceOf(verb, { ...window, hosts: namesIn(hosts) }), target, received);
    });
  }
}

const namesIn = (hosts = ''): string[] =>
  hosts
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
