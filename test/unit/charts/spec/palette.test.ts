import { describe, expect, it } from 'vitest';
import { COLORS } from '../../../../src/charts/spec/palette.ts';

/** As WCAG 2 defines them. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describe('the palette', () => {
  const lines = ['attacks', 'requests', 'usual', 'previous', 'midnight', 'filling', 'mark'] as const;
  const inks = ['ink', 'quietInk', 'attacksInk', 'requestsInk', 'usualInk', 'previousInk'] as const;

  it('has every colour for a line, a word, or the quiet things that need no contrast', () => {
    const quiet = ['card', 'grid', 'stripe', 'requestsFill', 'usualFill', 'markFill'];
    expect(Object.keys(COLORS).toSorted()).toEqual([...quiet, ...lines, ...inks].toSorted());
  });

  it.each(lines)('%s stands out by 3:1 from the card and from the fills it crosses', (name) => {
    expect(contrast(COLORS[name], COLORS.card)).toBeGreaterThanOrEqual(3);
    // Nothing is filled where numbers still come in.
    const crossed: string[] =
      name === 'filling' ? [] : [COLORS.usualFill, ...(name === 'usual' ? [] : [COLORS.requestsFill])];
    // Of a bar that is not solid.
    if (name === 'previous') crossed.push(COLORS.grid);
    for (const fill of crossed) expect(contrast(COLORS[name], fill)).toBeGreaterThanOrEqual(3);
  });

  it.each(inks)('%s stands out by 4.5:1 from the card and from a stripe', (name) => {
    expect(contrast(COLORS[name], COLORS.card)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(COLORS[name], COLORS.stripe)).toBeGreaterThanOrEqual(4.5);
  });
});
