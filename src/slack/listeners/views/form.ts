/** Forms: opened by a button, submitted as a sentence, answered where the button was. */
import { randomUUID } from 'node:crypto';
import type { App, BlockButtonAction, ViewOutput } from '@slack/bolt';
import type { Commands } from '../../../commands/index.ts';
import { BotError } from '../../../errors.ts';
import { FORM_ACTION } from '../../blocks/actions-block.ts';
import { type Form, type FormValues, viewOf } from '../../blocks/forms/form.ts';
import { clip, LIMITS } from '../../blocks/limits.ts';
import { renderLine } from '../../blocks/mrkdwn.ts';
import type { Delivery } from '../../posting/deliver-reply.ts';
import { createResponder } from '../../posting/response-url.ts';
import type { SlackClients } from '../../transport/clients.ts';
import type { Zones } from '../../zones.ts';
import type { ListenerContext } from '../context.ts';

export interface FormListenerContext extends ListenerContext {
  readonly clients: SlackClients;
  readonly commands: Commands;
  readonly delivery: Delivery;
  readonly zones: Zones;
  readonly forms: readonly Form[];
}

/** Where the form was opened, kept in the form itself. */
interface Origin {
  readonly channel: string;
  readonly threadTs?: string;
}

export function registerForms(app: App, listener: FormListenerContext): void {
  app.action<BlockButtonAction>({ type: 'block_actions', action_id: FORM_ACTION }, async ({ action, body, ack }) => {
    await ack();
    const sentence = action.value ?? '';
    const form = listener.forms.find(({ opens }) => opens.test(sentence));
    const channel = body.channel?.id;
    if (form === undefined || channel === undefined) return listener.log.warn({ sentence }, 'no form for this button');
    const threadTs = body.message?.thread_ts;
    const origin: Origin = typeof threadTs === 'string' ? { channel, threadTs } : { channel };
    try {
      const context = { sentence, userZone: await listener.zones.zoneOf(body.user.id) };
      const view = viewOf(form, context, JSON.stringify(origin));
      // Slack takes a trigger for three seconds only, so there is no time for a second try.
      await listener.clients.post.views.open({ trigger_id: body.trigger_id, view });
    } catch (error) {
      listener.log.warn({ err: error, form: form.callbackId }, 'the form could not be opened');
      const typed = { code: `${listener.command} ${form.typed}` };
      const text = renderLine(['The form did not open. Press the button again, or type ', typed, '.']);
      if (body.response_url !== undefined)
        await createResponder(body.response_url).respond({ text }, { inChannel: false, threadTs: origin.threadTs });
    }
  });

  for (const form of listener.forms) {
    app.view(form.callbackId, async ({ ack, body, view }) => {
      const origin = readOrigin(view.private_metadata);
      const user = body.user.id;
      const { channel } = origin;
      const userZone = await listener.zones.zoneOf(user);
      try {
        const reply = await listener.commands.answer({ text: form.sentence(valuesOf(view)), user, channel, userZone });
        await ack();
        listener.inBackground(listener.delivery.deliver(reply, { user, ...origin }));
      } catch (error) {
        await ack({ response_action: 'errors', errors: { [form.faultBlock]: faultText(error, listener) } });
      }
    });
  }
}

/** What is wrong, beside the field. */
function faultText(error: unknown, { log }: ListenerContext): string {
  if (error instanceof BotError) {
    return clip([error.message, error.hint].filter((part) => part !== undefined).join(' '), LIMITS.note);
  }
  const reference = randomUUID().slice(0, 8);
  log.error({ reference, err: error }, 'a form failed');
  return `This should not have happened. Whoever runs this bot finds it in the log under ${reference}.`;
}

function readOrigin(metadata: string): Origin {
  const origin: Origin = JSON.parse(metadata);
  return origin;
}

function valuesOf({ state }: ViewOutput): FormValues {
  return (block) => {
    const field = state.values[block]?.[block];
    return field?.value ?? field?.selected_option?.value ?? null;
  };
}
