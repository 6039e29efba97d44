/** Forms: opened by a button, submitted as a sentence, answered where the button was. */
import type { App, BlockButtonAction, ViewOutput } from '@slack/bolt';
import type { Commands } from '../../commands/index.ts';
import { BotError } from '../../errors.ts';
import { FORM_ACTION } from '../blocks/actions-block.ts';
import type { Delivery } from '../delivery.ts';
import type { Form, FormValues } from '../forms/form.ts';
import { viewOf } from '../forms/form.ts';
import type { DoorContext } from './context.ts';

export interface FormDoorContext extends DoorContext {
  readonly commands: Commands;
  readonly delivery: Delivery;
  readonly forms: readonly Form[];
}

interface Origin {
  readonly channel: string;
  readonly threadTs?: string;
}

export function registerFormDoor(app: App, door: FormDoorContext): void {
  app.action<BlockButtonAction>(
    { type: 'block_actions', action_id: FORM_ACTION },
    async ({ action, body, ack, client }) => {
      await ack();
      const form = door.forms.find(({ opens }) => opens.test(action.value ?? ''));
      if (form === undefined) return door.log.warn({ value: action.value }, 'no form for this button');
      // From the Home tab there is no channel; what is made there belongs to the person's direct messages.
      const channel = body.channel?.id ?? body.user.id;
      const threadTs = body.message?.thread_ts;
      const origin: Origin = typeof threadTs === 'string' ? { channel, threadTs } : { channel };
      const context = { channel, user: body.user.id, userZone: await door.zones.zoneOf(body.user.id) };
      await client.views.open({ trigger_id: body.trigger_id, view: viewOf(form, context, JSON.stringify(origin)) });
    },
  );

  for (const form of door.forms) {
    app.view(form.callbackId, async ({ ack, body, view }) => {
      const origin: Origin = JSON.parse(view.private_metadata);
      const user = body.user.id;
      const question = {
        text: form.sentence(valuesOf(view)),
        user,
        channel: origin.channel,
        userZone: await door.zones.zoneOf(user),
      };
      try {
        const reply = await door.commands.answer(question);
        await ack();
        door.inBackground(door.delivery.deliver(reply, { user, ...origin }));
      } catch (error) {
        if (!(error instanceof BotError)) throw error;
        const text = [error.message, error.hint].filter((part) => part !== undefined).join(' ');
        await ack({ response_action: 'errors', errors: { [form.faultBlock]: text } });
      }
    });
  }
}

function valuesOf({ state }: ViewOutput): FormValues {
  return (block) => {
    const field = state.values[block]?.[block];
    return field?.value ?? field?.selected_option?.value ?? field?.selected_conversation ?? null;
  };
}
