/** A reply as agents read it: the finding first, then its lines, then rows as CSV. The same words as in Slack. */
import { documentMarkdown } from '../replies/document.ts';
import { plainText, subjectWords } from '../replies/phrases.ts';
import type { Action, Line, Reply, ReportDocument } from '../replies/reply.ts';
import { rowsOf } from './answer-rows.ts';
import type { AgentQuestion, StructuredAnswer } from './tools.ts';

const MAX_NEXT = 3;

export interface AnswerWords {
  readonly text: string;
  readonly structured: StructuredAnswer;
}

export function answerWords(reply: Reply, { maxRows }: Pick<AgentQuestion, 'maxRows'>): AnswerWords {
  const { title, level, subject, document } = reply;
  const about = subject === undefined ? undefined : subjectWords(subject);
  const details = document === undefined ? detailsOf(reply) : [reportOf(document)];
  const { csv, says } = rowsOf(reply, maxRows);
  const next = nextSentences(reply.actions ?? []);
  const structured: StructuredAnswer = {
    finding: title,
    ...(level !== undefined && { level }),
    ...(about !== undefined && document === undefined && { about }),
    details: [...details, ...says],
    ...(csv !== null && { csv }),
    next,
  };
  return { structured, text: textOf(structured, reply.failed === true ? 'Ask instead' : 'Next, for waf_ask') };
}

const reportOf = (document: ReportDocument): string =>
  documentMarkdown(document, { user: (id) => `@${id}` })
    .replace(/\n{3,}/g, '\n\n')
    .trim();

function detailsOf({ headline, body = [], entries = [], also = [], code, notes = [] }: Reply): string[] {
  const lines: readonly Line[] = [
    headline ?? [],
    ...body,
    ...entries.flatMap((entry) => entry.lines),
    ...also,
    ...notes,
  ];
  return [...lines.map(plainText), code ?? ''].filter((line) => line.trim() !== '');
}

function textOf({ finding, about, details, csv, next }: StructuredAnswer, offer: string): string {
  return [
    finding,
    ...(about === undefined ? [] : [about]),
    ...details,
    ...(csv === undefined ? [] : [csv]),
    ...(next.length === 0 ? [] : [`${offer}: ${next.join(' | ')}`]),
  ].join('\n');
}

/** What can be asked next without a form or a file. */
function nextSentences(actions: readonly Action[]): string[] {
  return actions
    .filter(({ effect, sentence }) => effect !== 'modal' && !/ csv only$|^(doctor|help|watch|digest)\b/.test(sentence))
    .map(({ sentence }) => sentence)
    .slice(0, MAX_NEXT);
}
