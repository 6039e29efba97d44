/** Updates the Home tab when somebody opens it. */
import type { Middleware, SlackEventMiddlewareArgs } from '@slack/bolt';
import type { ListenerContext } from '../context.ts';

export function appHomeOpenedListener({
  publishHome,
}: ListenerContext): Middleware<SlackEventMiddlewareArgs<'app_home_opened'>> {
  return async function onAppHomeOpened({ event }) {
    if (event.tab === 'home') await publishHome(event.user);
  };
}
