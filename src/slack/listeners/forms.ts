/** Forms: a button opens one as a modal; submitted, it becomes a sentence, which is answered where the form was opened. */
import { randomUUID } from 'node:crypto';
import type { App, BlockButtonAction, SlackViewMiddlewareArgs, ViewOutput } from '@slack/bolt';
import { withTimeout } from '../../clock.ts';
import type { Reply } from '../../commands/index.ts';
import { BotError, UsageError } from '../../errors.ts';
import { adviceOf, errorReply } from '../../replies/error-reply.ts';
import { FORMS } from '../blocks/form-definitions.ts';
import {
  blockAt,
  type FormOrigin,
  type FormValues,
  formOrigin,
  formSentence,
  formView,
  type ModalForm,
} from '../blocks/form-view.ts';
import { LIMITS } from '../blocks/limits.ts';
import { clip, FORM_BUTTON, renderLine } from '../blocks/message.ts';
import type { ListenerContext } from './questions.ts';

export function listenToForms(app: App, context: ListenerContext): void {
  app.action<BlockButtonAction>({ type: 'block_actions', action_id: FORM_BUTTON }, async ({ action, body, ack }) => {
    await ack();
    await openForm(context, action.value ?? '', body);
  });
  for (const form of FORMS)
    app.view(form.callbackId, ({ ack, body, view }) => submitForm(context, form, { ack, user: body.user.id, view }));
}

async function openForm(context: ListenerContext, sentence: string, body: BlockButtonAction): Promise<void> {
  const { clients, commands, userZone, deliverReply, respond, command, log } = context;
  const form = FORMS.find(({ openedBy }) => openedBy.test(sentence));
  const channel = body.channel?.id;
  if (form === undefined || channel === undefined) return log.warn({ sentence }, 'no form for this button');
  const threadTs = body.message?.thread_ts;
  const user = body.user.id;
  const origin: FormOrigin = { channel, threadTs: typeof threadTs === 'string' ? threadTs : undefined };
  try {
    const [zone, choices] = await Promise.all([
      userZone(user),
      commands.formChoices({ text: sentence, channel, user }),
    ]);
    const view = formView(form, { sentence, userZone: zone, ...choices }, origin);
    // A trigger ID is valid for three seconds, so there is no time for a retry.
    await clients.post.views.open({ trigger_id: body.trigger_id, view });
  } catch (error) {
    if (error instanceof BotError) {
      const reply = errorReply(error, { command, reference: '', asked: sentence });
      await deliverReply(reply, { ...origin, user, responseUrl: body.response_url, ephemeral: true });
      return;
    }
    log.warn({ err: error, form: form.callbackId }, 'could not open a form');
    const example = { code: `${command} ${form.example}` };
    const text = renderLine(['The form didn’t open. Press the button again, or type ', example, '.']);
    if (body.response_url !== undefined)
      await respond(body.response_url, { text }, { inChannel: false, threadTs: origin.threadTs });
  }
}

type FormResult = { readonly reply: Reply } | { readonly error: unknown };

interface Submission {
  readonly ack: SlackViewMiddlewareArgs['ack'];
  readonly user: string;
  readonly view: ViewOutput;
}

/** Slack shows an error after three seconds. Slower results appear in the channel instead of the form. */
const FORM_LIMIT_MS = 2_000;

async function submitForm(context: ListenerContext, form: ModalForm, { ack, user, view }: Submission): Promise<void> {
  const { commands, userZone, deliverReply, clock, command } = context;
  const origin = formOrigin(view.private_metadata);
  const answer = async (): Promise<FormResult> => {
    try {
      const text = formSentence(form, valuesOf(view));
      const { channel } = origin;
      return { reply: await commands.answer({ text, user, channel, userZone: await userZone(user) }) };
    } catch (error) {
      return { error };
    }
  };
  const answered = answer();
  const inTime = await withTimeout<FormResult | null>(
    clock,
    FORM_LIMIT_MS,
    () => answered,
    () => null,
  );
  if (inTime !== null && 'error' in inTime) {
    // The modal stays open, with the reason beside the field.
    const block = faultyBlock(form, valuesOf(view), inTime.error);
    await ack({ response_action: 'errors', errors: { [block]: explain(context, inTime.error).text } });
    return;
  }
  await ack();
  const result = inTime ?? (await answered);
  const reply =
    'reply' in result
      ? result.reply
      : errorReply(result.error, { command, reference: explain(context, result.error).reference });
  await deliverReply(reply, { user, ...origin });
}

/** What went wrong; a bug of ours is logged under the reference. */
function explain({ log }: ListenerContext, error: unknown): { readonly text: string; readonly reference: string } {
  const reference = randomUUID().slice(0, 8);
  if (error instanceof BotError) {
    const sentences = [error.message, adviceOf(error)].filter((part) => part !== undefined);
    return { text: clip(sentences.join(' '), LIMITS.note), reference };
  }
  log.error({ reference, err: error }, 'form failed');
  const text = `This is a bug. The operator can find it in the log under ${reference}.`;
  return { text, reference };
}

function faultyBlock(form: ModalForm, value: FormValues, error: unknown): string {
  const place = error instanceof UsageError ? error.span?.start : undefined;
  return place === undefined ? form.errorBlock : blockAt(form, value, place);
}

function valuesOf({ state }: ViewOutput): FormValues {
  return (block) => {
    const field = state.values[block]?.[block];
    const chosen = field?.selected_options?.map(({ value }) => value).join(', ');
    return field?.value ?? field?.selected_option?.value ?? (chosen || null);
  };
}
