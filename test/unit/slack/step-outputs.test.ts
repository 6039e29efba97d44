/** What a workflow gets from an answer. */
import { expect, it } from 'vitest';
import { stepOutputs } from '../../../src/slack/run-step.ts';

it('has the finding, its lines in order, and the link', () => {
  const reply = {
    title: 'Surge 02:33 – 03:34',
    level: 'past',
    headline: [{ bold: '1,644 attacks' }, ' in 61 minutes.'],
    body: [[], ['Above usual: XSS.']],
    notes: [['Counted up to 12:31.']],
  } as const;
  expect(stepOutputs(reply, 'https://example.slack.com/archives/C1/p1')).toEqual({
    verdict: 'past',
    finding: 'Surge 02:33 – 03:34',
    numbers: '1,644 attacks in 61 minutes.\nAbove usual: XSS.\nCounted up to 12:31.',
    link: 'https://example.slack.com/archives/C1/p1',
  });
});

it('has no verdict without data, no number that is unknown, and no link to what was not posted', () => {
  expect(stepOutputs({ title: 'No data' }, null)).toEqual({
    verdict: 'not_enough_data',
    finding: 'No data',
    numbers: 'No data',
  });
});

it('has nothing that a message of the workflow would take for a mention or a link', () => {
  const { finding, numbers } = stepOutputs({ title: '<!channel>', headline: ['<https://evil.example|shop>'] }, null);
  expect(`${finding}${numbers}`).not.toMatch(/[<>]/);
});
