/** Buttons. Each carries its whole sentence, so that it still works after a restart of the bot. */
import type { Button, KnownBlock } from '@slack/types';
import type { Action } from '../../commands/reply.ts';
import { clip, LIMITS } from './limits.ts';

/** `say:<effect>:<place>`: Slack wants action IDs unique within a message. */
export const SAY_ACTION = /^say:(replace|thread):\d+$/;
export const FORM_ACTION = /^say:modal:\d+$/;

/** Whether the answer takes the place of the message that the button belongs to. */
export function replaces(actionId: string): boolean {
  return SAY_ACTION.exec(actionId)?.[1] === 'replace';
}

/** A sentence too long for a button is left out: a cut one would ask something else. */
export function actionsBlock(actions: readonly Action[], firstPlace = 0): KnownBlock[] {
  const fitting = actions.filter(
    ({ label, sentence }) => label.trim() !== '' && sentence !== '' && sentence.length <= LIMITS.buttonValue,
  );
  const blocks: KnownBlock[] = [];
  for (let at = 0; at < fitting.length && blocks.length < 3; at += LIMITS.actions) {
    const elements = fitting
      .slice(at, at + LIMITS.actions)
      .map((action, index) => button(action, firstPlace + at + index));
    blocks.push({ type: 'actions', elements });
  }
  return blocks;
}

function button({ label, sentence, effect, style, confirm }: Action, place: number): Button {
  return {
    type: 'button',
    text: { type: 'plain_text', text: clip(label, LIMITS.buttonText) },
    action_id: `say:${effect}:${place}`,
    value: sentence,
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
