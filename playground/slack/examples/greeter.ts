import { App, type AppOptions } from '@slack/bolt';

export function createApp(options: AppOptions) {
  const app = new App(options);
  app.command('/hello', async ({ ack, say, command }) => {
    await ack();
    await say(`Hello <@${command.user_id}>`);
  });
  return app;
}
