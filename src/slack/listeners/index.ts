/** Registers every listener: what the bot reacts to in Slack, and which file handles it. */
import type { App, BlockButtonAction } from '@slack/bolt';
import { FORMS } from '../blocks/form-definitions.ts';
import { FORM_BUTTON, HOME_BUTTON, HOME_QUESTION, REPLY_BUTTON } from '../blocks/message.ts';
import { homeButtonListener, homeQuestionListener } from './actions/home-button.ts';
import { openFormListener } from './actions/open-form.ts';
import { replyButtonListener } from './actions/reply-button.ts';
import { slashCommandListener } from './commands/slash-command.ts';
import type { ListenerContext } from './context.ts';
import { appHomeOpenedListener } from './events/app-home-opened.ts';
import { appMentionListener } from './events/app-mention.ts';
import { directMessageListener } from './events/direct-message.ts';
import { AROUND_MESSAGE, aroundMessageListener } from './shortcuts/around-message.ts';
import { submitFormListener } from './views/submit-form.ts';

export function registerListeners(app: App, context: ListenerContext): void {
  // Every command of the app, so that one the configuration does not name is not met with silence.
  app.command(/.*/, slashCommandListener(context));

  app.event('app_mention', appMentionListener(context));
  app.event('app_home_opened', appHomeOpenedListener(context));
  app.message(directMessageListener(context));

  app.action<BlockButtonAction>({ type: 'block_actions', action_id: REPLY_BUTTON }, replyButtonListener(context));
  app.action<BlockButtonAction>({ type: 'block_actions', action_id: HOME_BUTTON }, homeButtonListener(context));
  app.action<BlockButtonAction>({ type: 'block_actions', action_id: HOME_QUESTION }, homeQuestionListener(context));
  app.action<BlockButtonAction>({ type: 'block_actions', action_id: FORM_BUTTON }, openFormListener(context));

  app.shortcut({ callback_id: AROUND_MESSAGE, type: 'message_action' }, aroundMessageListener(context));

  for (const form of FORMS) app.view(form.callbackId, submitFormListener(form, context));
}
