/** A button that opens a form as a modal. */
import type { BlockButtonAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import { BotError } from '../../../errors.ts';
import { errorReply } from '../../../replies/error-reply.ts';
import { FORMS } from '../../blocks/form-definitions.ts';
import { type FormOrigin, formView } from '../../blocks/form-view.ts';
import { renderLine } from '../../blocks/message.ts';
import type { ListenerContext } from '../context.ts';

export function openFormListener({
  clients,
  commands,
  userZone,
  deliverReply,
  respond,
  command,
  log,
}: ListenerContext): Middleware<SlackActionMiddlewareArgs<BlockButtonAction>> {
  return async function onOpenForm({ action, body, ack }) {
    await ack();
    const sentence = action.value ?? '';
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
  };
}
