/** Buttons. Each carries its whole sentence, so that it still works after a restart of the bot. */
import type { Button, KnownBlock } from '@slack/types';
import type { Action } from '../../commands/replies/reply.ts';
import { clip, LIMITS } from './limits.ts';

/** `say:<effect>:<place>`: Slack wants action IDs unique within a message. */
export const SAY_ACTION = /^say:(replace|thread):\d+$/;
export const FORM_ACTION = /^say:modal:\d+$/;

/** Outside of any channel, on the Home tab: the value names the channel, then the sentence to be said there. */
export const SAY_THERE_ACTION = /^there:\d+$/;

/** Whether the answer takes the place of the message that the button belongs to. */
export function replaces(actionId: string): boolean {
  return SAY_ACTION.exec(actionId)?.[1] === 'replace';
}

const MOST_ROWS = 3;

export function actionsBlock(actions: readonly Action[]): KnownBlock[] {
  return rows(actions, (action, at) => button(action, `say:${action.effect}:${at}`, action.sentence));
}

/** The same for a view, whose buttons speak in a channel; `firstPlace` keeps the IDs of several such rows apart. */
export function actionsThere(actions: readonly Action[], channel: string, firstPlace: number): KnownBlock[] {
  return rows(actions, (action, at) => button(action, `there:${firstPlace + at}`, `${channel} ${action.sentence}`));
}

/** A sentence too long for a button is left out: a cut one would ask something else. */
function rows(actions: readonly Action[], make: (action: Action, at: number) => Button): KnownBlock[] {
  const fitting = actions
    .filter(({ label, sentence }) => label.trim() !== '' && sentence !== '')
    .map(make)
    .filter(({ value = '' }) => value.length <= LIMITS.buttonValue);
  const blocks: KnownBlock[] = [];
  for (let at = 0; at < fitting.length && blocks.length < MOST_ROWS; at += LIMITS.actions) {
    blocks.push({ type: 'actions', elements: fitting.slice(at, at + LIMITS.actions) });
  }
  return blocks;
}

function button({ label, style, confirm }: Action, id: string, value: string): Button {
  return {
    type: 'button',
    text: { type: 'plain_text', text: clip(label, LIMITS.buttonText) },
    action_id: id,
    value,
    ...(style === undefined ? {} : { style }),
    ...(confirm === undefined
      ? {}
      : {
          confirm: {
            title: { type: 'plain_text', text: 'Are you sure?' },
            text: { type: 'plain_text', text: clip(confirm, 300) },
            confirm: { type: 'plain_text', text: 'Yes' },
            deny: { type: 'plain_text', text: 'No' },
          },
        }),
  };
}
