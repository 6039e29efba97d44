/** Registers every listener: what the bot reacts to in Slack. */
import type { App } from '@slack/bolt';
import { listenToButtons } from './buttons.ts';
import { listenToForms } from './forms.ts';
import { type ListenerContext, listenToQuestions } from './questions.ts';

export function registerListeners(app: App, context: ListenerContext): void {
  listenToQuestions(app, context);
  listenToButtons(app, context);
  listenToForms(app, context);
}
