/** Turns a submitted form into a sentence, which is answered where the form was opened. */
import { randomUUID } from 'node:crypto';
import type { Middleware, SlackViewMiddlewareArgs, ViewOutput } from '@slack/bolt';
import { withTimeout } from '../../../clock.ts';
import type { Reply } from '../../../commands/index.ts';
import { BotError, UsageError } from '../../../errors.ts';
import { adviceOf, errorReply } from '../../../replies/error-reply.ts';
import { blockAt, type FormValues, formOrigin, formSentence, type ModalForm } from '../../blocks/form-view.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { clip } from '../../blocks/message.ts';
import type { ListenerContext } from '../context.ts';

type FormResult = { readonly reply: Reply } | { readonly error: unknown };

/** Slack shows an error after three seconds. Slower results appear in the channel instead of the form. */
const FORM_LIMIT_MS = 2_000;

export function submitFormListener(
  form: ModalForm,
  { commands, userZone, deliverReply, clock, command, log }: ListenerContext,
): Middleware<SlackViewMiddlewareArgs> {
  async function answer(view: ViewOutput, user: string, channel: string): Promise<FormResult> {
    try {
      const text = formSentence(form, valuesOf(view));
      return { reply: await commands.answer({ text, user, channel, userZone: await userZone(user) }) };
    } catch (error) {
      return { error };
    }
  }

  /** What went wrong; a bug of ours is logged under the reference. */
  function explain(error: unknown): { readonly text: string; readonly reference: string } {
    const reference = randomUUID().slice(0, 8);
    if (error instanceof BotError) {
      const sentences = [error.message, adviceOf(error)].filter((part) => part !== undefined);
      return { text: clip(sentences.join(' '), LIMITS.note), reference };
    }
    log.error({ reference, err: error }, 'form failed');
    const text = `This is a bug. The operator can find it in the log under ${reference}.`;
    return { text, reference };
  }

  return async function onSubmitForm({ ack, body, view }) {
    const origin = formOrigin(view.private_metadata);
    const user = body.user.id;
    const answered = answer(view, user, origin.channel);
    const inTime = await withTimeout<FormResult | null>(
      clock,
      FORM_LIMIT_MS,
      () => answered,
      () => null,
    );
    if (inTime !== null && 'error' in inTime) {
      // The modal stays open, with the reason beside the field.
      const block = faultyBlock(form, valuesOf(view), inTime.error);
      await ack({ response_action: 'errors', errors: { [block]: explain(inTime.error).text } });
      return;
    }
    await ack();
    const result = inTime ?? (await answered);
    const reply =
      'reply' in result
        ? result.reply
        : errorReply(result.error, { command, reference: explain(result.error).reference });
    await deliverReply(reply, { user, ...origin });
  };
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
