/** The Home tab: what a person has set up, whether the service is well, and what to ask. */
import type { App } from '@slack/bolt';
import type { SlackClients } from '../clients.ts';
import { type HomeOverview, homeView } from '../home-view.ts';
import type { Log } from '../log.ts';

export type LookHome = (user: string) => Promise<HomeOverview>;

export interface HomeDoor {
  /** Shows the tab as things stand now. Never rejects: a tab that is a little old costs nobody an answer. */
  refresh(user: string): Promise<void>;
}

export function createHomeDoor(clients: SlackClients, look: LookHome, command: string, log: Log): HomeDoor {
  return {
    async refresh(user) {
      try {
        await clients.read.views.publish({ user_id: user, view: homeView(await look(user), command) });
      } catch (error) {
        log.warn({ err: error }, 'the Home tab could not be shown');
      }
    },
  };
}

export function registerHomeDoor(app: App, home: HomeDoor, inBackground: (work: Promise<void>) => void): void {
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab === 'home') inBackground(home.refresh(event.user));
  });
}
