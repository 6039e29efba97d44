/** The form of a watch, new or edited: one entry in the list per field. */
import { quoteName } from '../../grammar/hosts.ts';
import { CATEGORIES, categoryName } from '../../statistics/categories.ts';
import {
  CHANNEL_FIELD,
  EDITED,
  type FormField,
  type FormValues,
  HOSTS_FIELD,
  input,
  type ModalForm,
  menuField,
  PROJECT_FIELD,
  selectField,
  textField,
} from './form-view.ts';
import { clip } from './message.ts';

const ANYTHING = 'anything';

const isThreshold = (value: FormValues): boolean => (value('what') ?? ANYTHING) !== ANYTHING;
const isEdit = (value: FormValues): boolean => value(EDITED) !== null;

/** `watch attacks`, or of an existing one `watch edit k3fq7a attacks`. */
const WHAT: FormField = {
  block: 'what',
  input({ current: { what } }) {
    const options = [
      { text: 'Anything unusual', value: ANYTHING },
      { text: 'Attacks above a threshold', value: 'attacks' },
      { text: 'Requests above a threshold', value: 'requests' },
      { text: 'SQL injection above a threshold', value: 'sqli' },
      { text: 'XSS above a threshold', value: 'xss' },
      { text: 'CC attacks above a threshold', value: 'cc' },
      { text: 'Malicious crawlers above a threshold', value: 'robot' },
    ] as const;
    const isOther = what !== undefined && !options.some(({ value }) => value === what);
    const other = isOther ? [{ text: `${categoryName(what)} above a threshold`, value: what }] : [];
    return selectField({
      block: 'what',
      label: 'Watch for',
      updates: true,
      options: [...options, ...other],
      initial: what,
    });
  },
  words(value) {
    const id = value(EDITED);
    const what = value('what') ?? ANYTHING;
    if (id !== null) return `watch edit ${id} ${what}`;
    return what === ANYTHING ? 'watch' : `watch ${what}`;
  },
};

const SENSITIVITY: FormField = {
  block: 'calls',
  applies: (value) => !isThreshold(value),
  input: ({ current }) =>
    selectField({
      block: 'calls',
      label: 'Alert sensitivity',
      options: [
        { text: 'Normal', value: 'normal' },
        { text: 'Quiet: only clear anomalies', value: 'quiet' },
        { text: 'Sensitive: earlier, with more false alarms', value: 'sensitive' },
      ],
      initial: current.calls,
    }),
  words(value) {
    const calls = value('calls') ?? 'normal';
    return calls === 'normal' && !isEdit(value) ? '' : calls;
  },
};

const THRESHOLD: FormField = {
  block: 'over',
  applies: isThreshold,
  input: ({ current }) =>
    textField({
      block: 'over',
      label: 'Threshold',
      placeholder: '500',
      initial: current.over,
      hint: 'Alerts when there are more.',
    }),
  words: (value) => `over ${value('over') ?? '?'}`,
};

const WINDOW: FormField = {
  block: 'per',
  applies: isThreshold,
  input: ({ current }) =>
    textField({
      block: 'per',
      label: 'Time window',
      initial: current.per ?? '15m',
      hint: 'What is counted against the threshold, for example 15m or 2h.',
    }),
  words: (value) => `per ${value('per') ?? '15m'}`,
};

const DEFAULT_EVERY = '5m';
const EVERY_MINUTES = [1, 5, 10, 15, 30, 60];

const EVERY: FormField = {
  block: 'every',
  input({ current: { every } }) {
    const own = Number(/^(\d+)m$/.exec(every ?? '')?.[1] ?? 5);
    const minutes = [...new Set([...EVERY_MINUTES, own])].toSorted((a, b) => a - b);
    const [first = { text: DEFAULT_EVERY, value: DEFAULT_EVERY }, ...more] = minutes.map((count) => ({
      text: count === 1 ? 'Every minute' : count === 60 ? 'Every hour' : `Every ${count} minutes`,
      value: `${count}m`,
    }));
    return selectField({
      block: 'every',
      label: 'Check',
      options: [first, ...more],
      initial: every ?? DEFAULT_EVERY,
    });
  },
  words(value) {
    const every = value('every') ?? DEFAULT_EVERY;
    return every === DEFAULT_EVERY && !isEdit(value) ? '' : `every ${every}`;
  },
};

const QUIET_HOURS: FormField = {
  block: 'quiet',
  input: ({ current }) =>
    textField({
      block: 'quiet',
      label: 'Quiet hours',
      optional: true,
      placeholder: 'weekdays 22:00-06:00',
      initial: current.quiet === '' ? undefined : current.quiet,
      hint: 'Nothing below a surge alerts then. One message sums it up afterwards.',
    }),
  words(value) {
    const hours = value('quiet');
    return hours === null ? (isEdit(value) ? 'quiet hours none' : '') : `quiet hours ${hours}`;
  },
};

const MAINTENANCE: FormField = {
  block: 'maintenance',
  input: ({ current }) =>
    textField({
      block: 'maintenance',
      label: 'Maintenance',
      optional: true,
      placeholder: 'saturday 02:00-04:00',
      initial: current.maintenance || undefined,
      hint: 'Nothing at all alerts then. Separate several times with a semicolon.',
    }),
  words(value) {
    const times = value('maintenance');
    // A form that was opened before an upgrade may not have had the field.
    return times !== null ? `maintenance ${times}` : value('maintenance_before') !== null ? 'maintenance none' : '';
  },
};

const NOBODY = 'nobody';

const MENTION_FROM: FormField = {
  block: 'mention_from',
  input: ({ current }) =>
    selectField({
      block: 'mention_from',
      label: 'Mention people',
      updates: true,
      options: [
        { text: 'Never', value: NOBODY },
        { text: 'In every alert', value: 'elevated' },
        { text: 'From a surge on', value: 'surge' },
      ],
      initial: current.mention_from,
    }),
  // The value is known even if its field isn't shown.
  sentence: (value, id) => (mentions(value) || value('mention') === null ? '' : `watch mention nobody ${id}`),
};

const mentions = (value: FormValues): boolean => (value('mention_from') ?? NOBODY) !== NOBODY;

const MENTION: FormField = {
  block: 'mention',
  applies: mentions,
  input: ({ current }) =>
    textField({
      block: 'mention',
      label: 'Whom',
      placeholder: '@oncall-security, @maya',
      initial: current.mention,
      hint: 'People or user groups, as you type them in Slack.',
    }),
  sentence: (value, id) => `watch mention ${value('mention') ?? ''} on ${value('mention_from')} ${id}`,
};

const NEVER = 'never';

const ESCALATE_AFTER: FormField = {
  block: 'escalate_after',
  input({ current: { escalate_after: after } }) {
    const options = [
      { text: 'Never', value: NEVER },
      { text: 'After 5 minutes', value: '5m' },
      { text: 'After 10 minutes', value: '10m' },
      { text: 'After 15 minutes', value: '15m' },
      { text: 'After 30 minutes', value: '30m' },
      { text: 'After an hour', value: '60m' },
    ] as const;
    const isOther = after !== undefined && !options.some(({ value }) => value === after);
    return selectField({
      block: 'escalate_after',
      label: 'Alert again if nobody acknowledges it',
      updates: true,
      options: [...options, ...(isOther ? [{ text: `After ${after}`, value: after }] : [])],
      initial: after,
    });
  },
  sentence: (value, id) => (escalates(value) || value('escalate') === null ? '' : `watch escalate never ${id}`),
};

const escalates = (value: FormValues): boolean => (value('escalate_after') ?? NEVER) !== NEVER;

const ESCALATE: FormField = {
  block: 'escalate',
  applies: escalates,
  input: ({ current }) =>
    textField({
      block: 'escalate',
      label: 'Then escalate to',
      placeholder: '@lead, @head-of-security',
      initial: current.escalate,
      hint: 'One after the other, each after the same time.',
    }),
  sentence: (value, id) => `watch escalate after ${value('escalate_after')} to ${value('escalate') ?? ''} ${id}`,
};

/** Known, but not shown. */
const hidden = (block: string): FormField => ({ block, input: () => null });

const listOf = (value: string | null): readonly string[] => value?.split(', ').filter((each) => each !== '') ?? [];
const isSameList = (a: string | null, b: string | null): boolean =>
  listOf(a).toSorted().join() === listOf(b).toSorted().join();

/** What an ignored category or a runbook applies to: the words after `on`, and the project. */
function placeWords(value: FormValues): string {
  const project = value('project');
  return `on ${value('hosts') ?? 'all hosts'}${project === null ? '' : ` in project ${project}`}`;
}

/** Whether the form lists everything ignored on the chosen hosts, so that removing a category stops ignoring it. */
const showsIgnored = (value: FormValues): boolean => isEdit(value) && isSameList(value('hosts'), value('hosts_before'));

const IGNORE: FormField = {
  block: 'ignore',
  isApart: true,
  applies: (value) => !isThreshold(value),
  input({ current, ignored }) {
    const known = CATEGORIES.map(({ field, name }) => ({ text: name, value: field }));
    const chosen = listOf(current.ignore ?? null);
    const others = chosen.filter((field) => !known.some(({ value }) => value === field));
    return menuField({
      block: 'ignore',
      label: 'Ignore on these hosts',
      optional: true,
      updates: true,
      options: [...known, ...others.map((field) => ({ text: categoryName(field), value: field }))],
      initial: chosen,
      hint: clip(
        [
          'Counted, but never alerts, in any channel.',
          ...(ignored.length > 0 ? [`Now: ${ignored.join('; ')}.`] : []),
        ].join(' '),
        MAX_HINT,
      ),
    });
  },
  sentence: (value) =>
    value('ignore') === null && value('ignored') !== null && showsIgnored(value)
      ? `ignore nothing ${placeWords(value)}`
      : '',
};

const MAX_HINT = 500;

const IGNORE_UNTIL: FormField = {
  block: 'ignore_until',
  isApart: true,
  applies: (value) => !isThreshold(value) && value('ignore') !== null,
  input: ({ current }) =>
    textField({
      block: 'ignore_until',
      label: 'Ignore until',
      optional: true,
      placeholder: 'friday',
      initial: current.ignore_until,
      hint: 'For example friday, 20 Dec or 2 weeks. Empty: for 30 days, and what is ignored already keeps its date.',
    }),
  sentence(value) {
    const until = value('ignore_until');
    const isShown = showsIgnored(value);
    if (until === null && isShown && isSameList(value('ignore'), value('ignored'))) return '';
    const date = until === null ? '' : ` until ${until.replace(/^(until|for)\s+/i, '')}`;
    return `ignore ${isShown ? 'only ' : ''}${value('ignore') ?? ''}${date} ${placeWords(value)}`;
  },
};

const NO_CHANGE = 'none';
const MAX_OPTION_CHARS = 75;
/** With the categories, as many as a menu holds. */
const MAX_HOSTS = 80;

const RUNBOOK_FOR: FormField = {
  block: 'runbook_for',
  input({ runbooks, hosts, current }) {
    if (runbooks === null) return null;
    const names = [...new Set([...listOf(current.hosts ?? null), ...hosts.map(quoteName)])].slice(0, MAX_HOSTS);
    const linked = (of: string, name: string): string => {
      const url = runbooks.find((each) => each.of === of || each.name === name)?.url;
      return clip(url === undefined ? name : `${name}: ${url.replace(/^https?:\/\//, '')}`, MAX_OPTION_CHARS);
    };
    return selectField({
      block: 'runbook_for',
      label: 'Runbook',
      updates: true,
      options: [
        { text: 'No change', value: NO_CHANGE },
        ...CATEGORIES.map(({ field, name }) => ({ text: linked(field, name), value: field })),
        ...names.map((name) => ({ text: linked(name, name.replaceAll('"', '')), value: name })),
      ],
      hint: clip(
        `A link in each alert about a category or host. ${
          runbooks.length === 0 ? 'There are none yet.' : `Set now: ${runbooks.map(({ name }) => name).join(', ')}.`
        }`,
        MAX_HINT,
      ),
    });
  },
};

const RUNBOOK: FormField = {
  block: 'runbook',
  isApart: true,
  applies: (value) => (value('runbook_for') ?? NO_CHANGE) !== NO_CHANGE,
  input: ({ current }) =>
    textField({
      block: 'runbook',
      label: 'Address of the runbook',
      optional: true,
      placeholder: 'https://wiki.example.org/sqli',
      initial: current.runbook,
      hint: 'Empty: no link.',
    }),
  sentence(value) {
    const project = value('project');
    const words = `runbook ${value('runbook_for')} ${value('runbook') ?? 'none'}`;
    return project === null ? words : `${words} in project ${project}`;
  },
};

export const watchForm: ModalForm = {
  callbackId: 'form_watch',
  openedBy: /^watch (new|edit)\b/,
  example: 'watch',
  title: 'New watch',
  editTitle: 'Edit watch',
  submit: 'Create',
  errorBlock: 'what',
  fields: [
    CHANNEL_FIELD,
    WHAT,
    SENSITIVITY,
    THRESHOLD,
    WINDOW,
    HOSTS_FIELD,
    PROJECT_FIELD,
    EVERY,
    QUIET_HOURS,
    MAINTENANCE,
    MENTION_FROM,
    MENTION,
    ESCALATE_AFTER,
    ESCALATE,
    IGNORE,
    IGNORE_UNTIL,
    RUNBOOK_FOR,
    RUNBOOK,
    hidden('maintenance_before'),
    hidden('ignored'),
    hidden('hosts_before'),
  ],
};

const WHO: FormField = {
  block: 'who',
  input: () => input({ block: 'who', label: 'Who is responsible?' }, { type: 'users_select', action_id: 'who' }),
  words: (value) => `watch assign @${value('who') ?? ''} ${value(EDITED) ?? ''}`,
};

export const assignForm: ModalForm = {
  callbackId: 'form_assign',
  openedBy: /^watch assign\b/,
  example: 'watch assign @diego',
  title: 'Assign this alert',
  submit: 'Assign',
  errorBlock: 'who',
  inThread: true,
  fields: [WHO],
};
