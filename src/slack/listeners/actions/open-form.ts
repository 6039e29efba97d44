/** A button that opens a form as a modal. */
import type { BlockButtonAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { ChannelSettings } from '../../../commands/context.ts';
import { FORMS } from '../../blocks/form-definitions.ts';
import { type FormOrigin, formView } from '../../blocks/form-view.ts';
import { renderLine } from '../../blocks/mrkdwn.ts';
import type { ListenerContext } from '../context.ts';

export function openFormListener({
  clients,
  commands,
  userZone,
  respond,
  command,
  log,
}: ListenerContext): Middleware<SlackActionMiddlewareArgs<BlockButtonAction>> {
  /** A form without the current settings is better than none. */
  const settingsOf = (channel: string): Promise<ChannelSettings> =>
    commands.settings(channel).catch((error: unknown) => {
      log.warn({ err: error }, 'could not read the settings for a form');
      return {};
    });

  /** Without them, the form has a text field. */
  const hostsOf = (channel: string, user: string): Promise<readonly string[]> =>
    commands.hostsToChoose({ channel, user }).catch((error: unknown) => {
      log.warn({ err: error }, 'could not read the hosts for a form');
      return [];
    });

  return async function onOpenForm({ action, body, ack }) {
    await ack();
    const sentence = action.value ?? '';
    const form = FORMS.find(({ openedBy }) => openedBy.test(sentence));
    const channel = body.channel?.id;
    if (form === undefined || channel === undefined) return log.warn({ sentence }, 'no form for this button');
    const threadTs = body.message?.thread_ts;
    const origin: FormOrigin = { channel, threadTs: typeof threadTs === 'string' ? threadTs : undefined };
    try {
      const [zone, settings] = await Promise.all([userZone(body.user.id), settingsOf(channel)]);
      const projects = commands.projectNames({ channel, user: body.user.id }, settings);
      const hosts = await hostsOf(channel, body.user.id);
      const view = formView(form, { sentence, userZone: zone, settings, projects, hosts }, origin);
      // A trigger ID is valid for three seconds, so there is no time for a retry.
      await clients.post.views.open({ trigger_id: body.trigger_id, view });
    } catch (error) {
      log.warn({ err: error, form: form.callbackId }, 'could not open a form');
      const example = { code: `${command} ${form.example}` };
      const text = renderLine(['The form didn’t open. Press the button again, or type ', example, '.']);
      if (body.response_url !== undefined)
        await respond(body.response_url, { text }, { inChannel: false, threadTs: origin.threadTs });
    }
  };
}
