/** The smallest Slack app, as a process: Bolt with one command that posts a fixed text. */
import { App } from '@slack/bolt';

const { SLACK_BOT_TOKEN: token = '', SLACK_APP_TOKEN: appToken = '', SLACK_API_URL: slackApiUrl = '' } = process.env;
const app = new App({
  token,
  appToken,
  socketMode: true,
  deferInitialization: true,
  convoStore: false,
  clientOptions: { slackApiUrl },
});
app.command('/waf', async ({ ack, command, client }) => {
  await ack();
  await client.chat.postMessage({ channel: command.channel_id, text: '1,234 requests, 56 attacks' });
});
await app.init();
await app.start();
console.log('bare Bolt is ready');
process.once('SIGTERM', () => process.exit());
