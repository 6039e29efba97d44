/** Slack's limits, in characters or items; the lower number if its documents disagree. */
export const LIMITS = {
  /** All blocks of a message as JSON, except tables and charts; Slack refuses about 13,200. */
  messageBlocks: 13_000,
  /** Headline and body together, to leave room for the rest. */
  body: 6_000,
  entry: 1_500,
  /** Entries with their buttons, to leave room for the rest. */
  entries: 10_500,
  text: 3_900,
  notification: 1_500,
  section: 3_000,
  header: 150,
  contextElements: 10,
  contextText: 2_000,
  note: 300,
  actions: 5,
  /** Entries of the menu after the buttons. */
  menu: 5,
  optionValue: 150,
  buttonText: 75,
  buttonValue: 2_000,
  confirmText: 300,
  confirmButton: 30,
  cell: 120,
  tableRows: 100,
  tableCharacters: 9_500,
  altText: 2_000,
  inputText: 2_000,
} as const;
