/**
 * For an app that has no setting for the address of Slack's API: `node --import slack-test-workspace/redirect app.js` sends its
 * calls to SLACK_API_URL. Works for what uses `fetch`, such as @slack/web-api 8 and Bolt 5.
 */
const SLACK = 'https://slack.com/api/';
const { SLACK_API_URL } = process.env;
const original = globalThis.fetch;

if (SLACK_API_URL !== undefined) {
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.startsWith(SLACK)) return original(input, init);
    const redirected = new URL(url.slice(SLACK.length), SLACK_API_URL);
    return input instanceof Request ? original(new Request(redirected, input), init) : original(redirected, init);
  };
}

export {};
