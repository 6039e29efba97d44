import { describe, expect, it } from 'vitest';
import { documentMarkdown, markdownFile } from '../../../src/replies/document.ts';
import type { ReportDocument } from '../../../src/replies/reply.ts';

const documentOf = (part: Omit<ReportDocument['parts'][number], 'heading'>): ReportDocument => ({
  name: 'waf-incident',
  title: 'Incident report: 4.4× usual',
  asCanvas: false,
  parts: [{ heading: 'Summary', ...part }],
});
const style = { user: (id: string) => `<${id}>` };

describe('a report in Markdown', () => {
  it('has headings, paragraphs, lists and tables', () => {
    const document = documentOf({
      lines: [
        [{ bold: '1,789 attacks' }, ' in 30 minutes.'],
        ['Acknowledged by ', { user: 'U1' }, '.'],
      ],
      list: [['One ', { code: 'a`b' }], [{ link: 'https://x.slack.com/p1', says: 'two' }]],
      table: {
        columns: [
          { name: 'Category', align: 'left' },
          { name: 'Events', align: 'right' },
        ],
        rows: [
          ['a|b', '12'],
          ['', '3'],
        ],
      },
    });
    expect(markdownFile(document, style)).toBe(`# Incident report: 4.4× usual

## Summary

**1,789 attacks** in 30 minutes.

Acknowledged by <U1>.

- One \`aˋb\`
- [two](https://x.slack.com/p1)

| Category | Events |
| --- | --: |
| a\\|b | 12 |
|   | 3 |
`);
  });

  it.each([
    ['# no heading', '\\# no heading'],
    ['- no list', '\\- no list'],
    ['*bold* _it_ `code` ~~x~~', '\\*bold\\* \\_it\\_ \\`code\\` \\~\\~x\\~\\~'],
    ['![](@U1) [x](https://evil.example)', '!\\[\\](@U1) \\[x\\](https://evil.example)'],
    ['<script>\n# two lines', '\\<script\\> # two lines'],
  ])('shows outside text as it is: %s', (typed, written) => {
    expect(documentMarkdown(documentOf({ lines: [[typed]] }), style)).toBe(`## Summary\n\n${written}\n`);
  });

  it('makes no link of an address that is none', () => {
    const line = [{ link: 'javascript:alert(1)', says: 'x' }];
    expect(documentMarkdown(documentOf({ lines: [line] }), style)).toBe('## Summary\n\nx\n');
  });
});
