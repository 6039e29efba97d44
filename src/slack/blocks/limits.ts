/** Slack's limits, the lower number where its documents disagree. */
export const LIMITS = {
  blocks: 50,
  /** All block text of one message together; Slack refuses from about 13,200 on. */
  messageCharacters: 12_000,
  text: 3_900,
  notification: 1_500,
  section: 3_000,
  header: 150,
  contextElements: 10,
  contextText: 2_000,
  note: 300,
  actions: 5,
  buttonText: 75,
  buttonValue: 2_000,
  cell: 120,
  tableRows: 100,
  tableCharacters: 9_500,
  altText: 2_000,
  chartTitle: 50,
} as const;

/** Text cut to a number of UTF-16 units without tearing a character; the cut is visible. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = limit - 1;
  const torn = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, torn ? end - 1 : end)}…`;
}
