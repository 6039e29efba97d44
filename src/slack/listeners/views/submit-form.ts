/** A submitted form: its values become a sentence, which is answered where the form was opened. */
import { randomUUID } from 'node:crypto';
import type { Middleware, SlackViewMiddlewareArgs, ViewOutput } from '@slack/bolt';
import type { Reply } from '../../../commands/index.ts';
import { BotError } from '../../../errors.ts';
import type { Logger } from '../../../observability/logger.ts';
import { type FormValues, formOrigin, type ModalForm } from '../../blocks/form-view.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { clip } from '../../blocks/mrkdwn.ts';
import type { ListenerContext } from '../context.ts';

export function submitFormListener(
  form: ModalForm,
  { commands, userZone, deliverReply, log }: ListenerContext,
): Middleware<SlackViewMiddlewareArgs> {
  return async function onSubmitForm({ ack, body, view }) {
    const origin = formOrigin(view.private_metadata);
    const user = body.user.id;
    let reply: Reply;
    try {
      const text = form.sentence(valuesOf(view));
      reply = await commands.answer({ text, user, channel: origin.channel, userZone: await userZone(user) });
    } catch (error) {
      // The modal stays open, with the reason beside the field.
      await ack({ response_action: 'errors', errors: { [form.errorBlock]: errorText(error, log) } });
      return;
    }
    await ack();
    await deliverReply(reply, { user, ...origin });
  };
}

function errorText(error: unknown, log: Logger): string {
  if (error instanceof BotError) {
    return clip([error.message, error.hint].filter((part) => part !== undefined).join(' '), LIMITS.note);
  }
  const reference = randomUUID().slice(0, 8);
  log.error({ reference, err: error }, 'a form failed');
  return `This should not have happened. Whoever runs this bot finds it in the log under ${reference}.`;
}

function valuesOf({ state }: ViewOutput): FormValues {
  return (block) => {
    const field = state.values[block]?.[block];
    return field?.value ?? field?.selected_option?.value ?? null;
  };
}
