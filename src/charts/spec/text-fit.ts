/** How wide a text will be, near enough to keep it inside the picture: the descriptions are made without a canvas. */

/** Advance widths of Inter SemiBold in thousandths of the size, from the space (32) to the tilde (126). */
const WIDTHS = [
  252, 321, 523, 644, 650, 1004, 663, 326, 373, 373, 540, 673, 319, 465, 319, 379, 660, 423, 623, 636, 666, 612, 640,
  576, 640, 640, 319, 329, 673, 673, 673, 543, 999, 728, 659, 737, 722, 605, 588, 749, 746, 277, 580, 703, 565, 922,
  759, 769, 645, 773, 652, 650, 660, 736, 728, 1020, 720, 713, 652, 373, 379, 373, 481, 469, 351, 574, 624, 583, 624,
  591, 389, 625, 612, 262, 262, 569, 262, 900, 612, 609, 624, 624, 397, 549, 353, 612, 587, 839, 569, 588, 566, 455,
  359, 455, 673,
] as const;

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function textWidth(text: string, sizePx: number): number {
  let thousandths = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    // Other alphabets run a little wider than Latin; from the CJK blocks on, a character is a full square.
    thousandths += WIDTHS[code - 32] ?? (code < 0x2e80 ? 680 : 1000);
  }
  return (thousandths / 1000) * sizePx;
}

/** The text, or as much of it as fits followed by `…`. Never cuts a character that people see as one. */
export function fitText(text: string, sizePx: number, maxPx: number): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (textWidth(plain, sizePx) <= maxPx) return plain;
  let kept = '';
  for (const { segment } of segments.segment(plain)) {
    if (textWidth(`${kept}${segment}…`, sizePx) > maxPx) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** The first `most` characters as people count them, the last one `…` when something was cut. */
export function fitCharacters(text: string, most: number): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  // Counted in UTF-16 units, which is never fewer than any other way of counting.
  if (plain.length <= most) return plain;
  let kept = '';
  for (const { segment } of segments.segment(plain)) {
    if (kept.length + segment.length > most - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
