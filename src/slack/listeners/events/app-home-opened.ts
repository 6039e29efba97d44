/** The Home tab: what a person has set up, whether the service is well, and what to ask. */
import type { App, BlockButtonAction } from '@slack/bolt';
import { SAY_THERE_ACTION } from '../../blocks/actions-block.ts';
import { type HomeOverview, homeView } from '../../blocks/home-view.ts';
import type { SlackClients } from '../../transport/clients.ts';
import type { ListenerContext } from '../context.ts';

export type LookHome = (user: string) => Promise<HomeOverview>;

export interface HomeListenerContext extends ListenerContext {
  readonly clients: SlackClients;
  readonly look: LookHome;
}

export function registerHome(app: App, listener: HomeListenerContext): void {
  const { clients, look, command, log } = listener;

  /** Shows the tab as things stand now. A tab that is a little old costs nobody an answer. */
  async function refresh(user: string): Promise<void> {
    try {
      await clients.read.views.publish({ user_id: user, view: homeView(await look(user), command) });
    } catch (error) {
      log.warn({ err: error }, 'the Home tab could not be shown');
    }
  }

  app.event('app_home_opened', async ({ event }) => {
    if (event.tab === 'home') listener.inBackground(refresh(event.user));
  });

  // As if the person had said it in that channel: the same permissions, and an answer that others there can see.
  app.action<BlockButtonAction>(
    { type: 'block_actions', action_id: SAY_THERE_ACTION },
    async ({ action, body, ack }) => {
      await ack();
      const [, channel, text] = /^(\S+) (.+)$/.exec(action.value ?? '') ?? [];
      if (channel === undefined || text === undefined) return;
      const user = body.user.id;
      listener.inBackground(
        listener.conversation
          .converse({ text, user, channel }, { channel, user, absent: true })
          .then(() => refresh(user)),
      );
    },
  );
}
