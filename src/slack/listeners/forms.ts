/** Forms: a button opens one as a modal; submitted, it becomes a sentence, which is answered where the form was opened. */
import { randomUUID } from 'node:crypto';
import type { App, BlockAction, BlockButtonAction, SlackViewMiddlewareArgs, ViewOutput } from '@slack/bolt';
import { withTimeout } from '../../clock.ts';
import type { Reply } from '../../commands/index.ts';
import { BotError, UsageError } from '../../errors.ts';
import { adviceOf, errorReply } from '../../replies/error-reply.ts';
import type { Line } from '../../replies/reply.ts';
import { FORMS } from '../blocks/form-definitions.ts';
import {
  blockAt,
  EDITED,
  type FormOrigin,
  type FormValues,
  formOrigin,
  formSentence,
  formView,
  furtherSentences,
  type ModalForm,
  updatedView,
} from '../blocks/form-view.ts';
import { LIMITS } from '../blocks/limits.ts';
import { ANY_CHANNEL, clip, FORM_BUTTON, HOME_FORM, renderLine } from '../blocks/message.ts';
import { openDirectMessage } from '../posting/reply-target.ts';
import { slackFailure } from '../transport/web-api.ts';
import type { ListenerContext } from './questions.ts';

export function listenToForms(app: App, context: ListenerContext): void {
  const onAction = (id: RegExp) => ({ type: 'block_actions', action_id: id }) as const;

  app.action<BlockButtonAction>(onAction(FORM_BUTTON), async ({ action, body, ack }) => {
    await ack();
    const channel = body.channel?.id;
    if (channel === undefined) return;
    const sentence = action.value ?? '';
    const threadTs = body.message?.thread_ts;
    const own = formOf(sentence)?.inThread === true ? body.message?.ts : undefined;
    const origin = { channel, threadTs: typeof threadTs === 'string' ? threadTs : own };
    await openForm(context, sentence, origin, body);
  });
  app.action<BlockButtonAction>(onAction(HOME_FORM), async ({ action, body, ack }) => {
    await ack();
    const [, channel, sentence] = /^(\S+) (.+)$/.exec(action.value ?? '') ?? [];
    if (channel === undefined || sentence === undefined) return;
    await openForm(context, sentence, { channel: channel === ANY_CHANNEL ? '' : channel, isHome: true }, body);
  });
  for (const form of FORMS) {
    app.view(form.callbackId, ({ ack, body, view }) => submitForm(context, form, { ack, user: body.user.id, view }));
    const names = form.fields.map(({ block }) => block).join('|');
    app.action<BlockAction>(onAction(new RegExp(`^(${names})$`)), async ({ body, ack, next }) => {
      if (body.view?.callback_id !== form.callbackId) return next();
      await ack();
      await updateForm(context, form, body.view);
    });
  }
}

const formOf = (sentence: string): ModalForm | undefined => FORMS.find(({ openedBy }) => openedBy.test(sentence));

/** Keeps what was entered. If Slack refuses the update, the form still works: its sentence only has what applies. */
async function updateForm({ clients, log }: ListenerContext, form: ModalForm, view: ViewOutput): Promise<void> {
  const { id, hash, blocks, private_metadata: metadata } = view;
  const origin = formOrigin(metadata);
  try {
    const next = updatedView(form, origin, { blocks, value: valuesOf(view, origin) });
    await clients.post.views.update({ view_id: id, hash, view: next });
  } catch (error) {
    if (slackFailure(error) === null) throw error;
    log.warn({ err: error, form: form.callbackId }, 'could not update a form');
  }
}

async function openForm(
  context: ListenerContext,
  sentence: string,
  origin: FormOrigin,
  body: BlockButtonAction,
): Promise<void> {
  const { clients, commands, userZone, deliverReply, respond, command, log } = context;
  const form = formOf(sentence);
  if (form === undefined) return log.warn({ sentence }, 'no form for this button');
  const user = body.user.id;
  const { channel, isHome = false } = origin;
  try {
    const [zone, { current, ...choices }] = await Promise.all([
      userZone(user),
      commands.formChoices({ text: sentence, channel, user }),
    ]);
    const edited = /^\S+ (?:edit|assign) (\S+)/.exec(sentence)?.[1];
    const values = edited === undefined ? current : { ...current, [EDITED]: edited };
    const asked = { sentence, userZone: zone, ...choices, current: values, asksForChannel: channel === '' };
    // A trigger ID is valid for three seconds, so there is no time for a retry.
    await clients.post.views.open({ trigger_id: body.trigger_id, view: formView(form, asked, origin) });
  } catch (error) {
    if (error instanceof BotError) {
      const reply = errorReply(error, { command, reference: '', asked: sentence });
      const place = isHome ? await openDirectMessage(clients, user) : channel;
      const target = { channel: place, threadTs: origin.threadTs, user, responseUrl: body.response_url };
      await deliverReply(reply, isHome ? target : { ...target, ephemeral: true });
      return;
    }
    log.warn({ err: error, form: form.callbackId }, 'could not open a form');
    const example = { code: `${command} ${form.example}` };
    const text = renderLine(['The form didn’t open. Press the button again, or type ', example, '.']);
    if (body.response_url !== undefined)
      await respond(body.response_url, { text }, { inChannel: false, threadTs: origin.threadTs });
  }
}

/** A failure is that of the form's sentence, or of a field's own. */
type FormResult = { readonly reply: Reply } | { readonly error: unknown; readonly block: string };

interface Submission {
  readonly ack: SlackViewMiddlewareArgs['ack'];
  readonly user: string;
  readonly view: ViewOutput;
}

/** Slack shows an error after three seconds. Slower results appear in the channel instead of the form. */
const FORM_LIMIT_MS = 2_000;

async function submitForm(context: ListenerContext, form: ModalForm, { ack, user, view }: Submission): Promise<void> {
  const { deliverReply, clock, command, publishHome } = context;
  const { threadTs, isHome = false, ...origin } = formOrigin(view.private_metadata);
  const value = valuesOf(view, origin);
  const channel = origin.channel || (value('channel') ?? '');
  const answered = answerForm(context, form, value, { channel, user });
  const inTime = await withTimeout<FormResult | null>(
    clock,
    FORM_LIMIT_MS,
    () => answered,
    () => null,
  );
  if (inTime !== null && 'error' in inTime) {
    // The modal stays open, with the reason beside the field.
    const block = shownBlock(view, inTime.block, form.errorBlock);
    await ack({ response_action: 'errors', errors: { [block]: explain(context, inTime.error).text } });
    return;
  }
  await ack();
  const result = inTime ?? (await answered);
  const reply =
    'reply' in result
      ? result.reply
      : errorReply(result.error, { command, reference: explain(context, result.error).reference });
  await deliverReply(reply, { user, channel, threadTs, userIsElsewhere: isHome });
  if (isHome) await publishHome(user);
}

/** Answers with the reply to the form's sentence, plus a line for each field with a sentence of its own. */
async function answerForm(
  { commands, userZone }: ListenerContext,
  form: ModalForm,
  value: FormValues,
  { channel, user }: { readonly channel: string; readonly user: string },
): Promise<FormResult> {
  const say = async (text: string): Promise<Reply> =>
    commands.answer({ text, user, channel, userZone: await userZone(user) });
  const notes: Line[] = [];
  let latest: Reply | undefined;

  const sayAll = async (parts: ReturnType<typeof furtherSentences>): Promise<FormResult | null> => {
    for (const { block, text, isApart = false } of parts) {
      try {
        const reply = await say(text);
        if (isApart) notes.push([`${reply.title}.`]);
        else latest = reply;
      } catch (error) {
        return { error, block: isUnknownHost(error) ? 'hosts' : block };
      }
    }
    return null;
  };

  const edited = value(EDITED);
  // The edit itself comes last: it may change the ID, which the open form wouldn't know.
  const before = edited === null ? null : await sayAll(furtherSentences(form, value, edited));
  if (before !== null) return before;
  let reply: Reply;
  try {
    reply = await say(formSentence(form, value));
  } catch (error) {
    return { error, block: faultyBlock(form, value, error) };
  }
  if (edited === null) {
    const { subscription = '' } = reply;
    const after = await sayAll(furtherSentences(form, value, subscription));
    if (after !== null) return after;
    reply = { ...(latest ?? reply), title: reply.title };
  }
  return { reply: { ...reply, notes: [...notes, ...(reply.notes ?? [])] } };
}

const isUnknownHost = (error: unknown): boolean => error instanceof UsageError && error.reason?.is === 'unknown_host';

/** What went wrong; a bug of ours is logged under the reference. */
function explain({ log }: ListenerContext, error: unknown): { readonly text: string; readonly reference: string } {
  const reference = randomUUID().slice(0, 8);
  if (error instanceof BotError) {
    const sentences = [messageIn(error), adviceOf(error)].filter((part) => part !== undefined);
    return { text: clip(sentences.join(' '), LIMITS.note), reference };
  }
  log.error({ reference, err: error }, 'form failed');
  const text = `This is a bug. The operator can find it in the log under ${reference}.`;
  return { text, reference };
}

/** A form can't point at a part of a field, so the part is quoted. */
function messageIn(error: BotError): string {
  if (!(error instanceof UsageError) || error.text === undefined || error.span === undefined) return error.message;
  return error.message.replace('this part', `“${error.text.slice(error.span.start, error.span.end)}”`);
}

function faultyBlock(form: ModalForm, value: FormValues, error: unknown): string {
  const place = error instanceof UsageError ? error.span?.start : undefined;
  if (place !== undefined) return blockAt(form, value, place);
  // An error that isn't about the words is about the channel, if the form asks for one.
  return value('channel') === null ? form.errorBlock : 'channel';
}

/** Slack refuses errors about fields that aren't shown. */
function shownBlock({ blocks }: ViewOutput, block: string, otherwise: string): string {
  const shown = new Set(blocks.filter(({ type }) => type === 'input').map((each) => each.block_id));
  return shown.has(block) ? block : otherwise;
}

function valuesOf({ state }: ViewOutput, { values = {} }: Pick<FormOrigin, 'values'>): FormValues {
  return (block) => {
    const fields = state.values[block];
    if (fields === undefined) return values[block] ?? null;
    const field = fields[block];
    const chosen = field?.selected_options?.map(({ value }) => value).join(', ');
    return (
      (field?.value?.trim() || null) ??
      field?.selected_option?.value ??
      field?.selected_conversation ??
      field?.selected_user ??
      (chosen || null)
    );
  };
}
