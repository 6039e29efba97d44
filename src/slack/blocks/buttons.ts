/** Buttons as Block Kit. Each carries the whole command it runs, so it still works after a restart of the bot. */
import type { Button, KnownBlock } from '@slack/types';
import type { Action } from '../../commands/replies/reply.ts';
import { LIMITS } from './limits.ts';
import { clip } from './mrkdwn.ts';

/**
 * Action IDs. They stand in messages that are already posted, so they must not change. The number at the end makes
 * them unique within a message, as Slack demands.
 */
export const REPLY_BUTTON = /^say:(replace|thread|ask|again):\d+$/;
export const FORM_BUTTON = /^say:modal:\d+$/;
/** On the Home tab, which belongs to no channel: the button's value names the channel before the command. */
export const HOME_BUTTON = /^there:\d+$/;

/** On the Home tab too: a question that is answered in a direct message. */
export const HOME_QUESTION = /^ask:\d+$/;

/** Where the answer to a button goes; see `Action`. */
export function effectOf(actionId: string): string | undefined {
  return REPLY_BUTTON.exec(actionId)?.[1];
}

const MAX_ROWS = 3;

/** The buttons below a reply: one row, since nobody chooses from more. */
export function replyButtons(actions: readonly Action[]): KnownBlock[] {
  const toButton = (action: Action, index: number) => button(action, `say:${action.effect}:${index}`, action.sentence);
  return actionRows(actions, toButton).slice(0, 1);
}

/** The buttons of one entry on the Home tab; `firstIndex` keeps the IDs of several entries apart. */
export function homeButtons(actions: readonly Action[], channel: string, firstIndex: number): KnownBlock[] {
  return actionRows(actions, (action, index) =>
    button(action, `there:${firstIndex + index}`, `${channel} ${action.sentence}`),
  );
}

/** Questions on the Home tab; `firstIndex` keeps the IDs of several rows apart. */
export function homeQuestions(actions: readonly Action[], firstIndex: number): KnownBlock[] {
  return actionRows(actions, (action, index) => button(action, `ask:${firstIndex + index}`, action.sentence));
}

/** A command too long for a button's value is left out: cut short, it would ask something else. */
function actionRows(actions: readonly Action[], toButton: (action: Action, index: number) => Button): KnownBlock[] {
  const buttons = actions
    .filter(({ label, sentence }) => label.trim() !== '' && sentence !== '')
    .map(toButton)
    .filter(({ value = '' }) => value.length <= LIMITS.buttonValue);
  const blocks: KnownBlock[] = [];
  for (let at = 0; at < buttons.length && blocks.length < MAX_ROWS; at += LIMITS.actions) {
    blocks.push({ type: 'actions', elements: buttons.slice(at, at + LIMITS.actions) });
  }
  return blocks;
}

function button({ label, style, confirm }: Action, actionId: string, value: string): Button {
  return {
    type: 'button',
    text: { type: 'plain_text', text: clip(label, LIMITS.buttonText) },
    action_id: actionId,
    value,
    ...(style === undefined ? {} : { style }),
    ...(confirm === undefined
      ? {}
      : {
          confirm: {
            title: { type: 'plain_text', text: 'Are you sure?' },
            text: { type: 'plain_text', text: clip(confirm, LIMITS.confirmText) },
            confirm: { type: 'plain_text', text: 'Yes' },
            deny: { type: 'plain_text', text: 'No' },
          },
        }),
  };
}
