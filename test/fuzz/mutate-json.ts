/** Changes a JSON value somewhere: a part missing, of another kind, too large, or under another name. */
import type { SeededRandom } from '../support/seeded-random.ts';

const nested = (depth: number): unknown => {
  let value: unknown = [];
  for (let n = 0; n < depth; n += 1) value = [value];
  return value;
};

const ODD_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e15, 2 ** 53, 1e308, -1e308],
  ...['', ' ', 'x', '0', '-1', 'null', 'NaN', '2026-13-99T99:99:99Z', '<!channel>', '<@U1>', '\u0000', '\ud800', '😀'],
  ...['x'.repeat(10_000), ' '.repeat(10_000), '&lt;'.repeat(5_000)],
  ...[[], [null], [[]], {}, { a: 1 }, { toString: 1 }, { length: -1 }, nested(500)],
];

const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'then', 'length', '', ' ', 'type', 'id', 'x'.repeat(5_000)];

type Container = Record<string, unknown> | unknown[];

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** Defined, not assigned: `__proto__` must become a property like any other. */
function put(container: Container, key: string, value: unknown): void {
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
}

const MOST_PLACES = 2_000;

function placesIn(value: unknown): { readonly container: Container; readonly key: string }[] {
  const places: { container: Container; key: string }[] = [];
  const open = [value];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    if (!isContainer(container)) continue;
    for (const [key, inner] of Object.entries(container)) {
      places.push({ container, key });
      if (places.length >= MOST_PLACES) return places;
      if (isContainer(inner)) open.push(inner);
    }
  }
  return places;
}

function anotherOf(places: ReturnType<typeof placesIn>, random: SeededRandom): unknown {
  const { container, key } = random.pick(places);
  return Reflect.get(container, key);
}

/** The value itself is left as it is. */
export function mutateJson(original: unknown, random: SeededRandom): unknown {
  const value: unknown = structuredClone(original);
  const places = placesIn(value);
  // Now and then the whole is something else.
  if (places.length === 0 || random.below(40) === 0) return random.pick(ODD_VALUES);
  const { container, key } = random.pick(places);
  const inner = Reflect.get(container, key);
  switch (random.below(7)) {
    case 0:
      Reflect.deleteProperty(container, key);
      break;
    case 1:
      put(container, Array.isArray(container) ? key : random.pick(ODD_NAMES), inner);
      Reflect.deleteProperty(container, key);
      break;
    case 2:
      put(container, key, [inner, inner]);
      break;
    case 3:
      put(container, key, structuredClone(anotherOf(places, random)));
      break;
    case 4:
      put(
        container,
        key,
        typeof inner === 'number' ? inner * random.pick([-1, 1e3, 1e-3, 1e12]) : `${JSON.stringify(inner)}`,
      );
      break;
    default:
      put(container, key, random.pick(ODD_VALUES));
  }
  return value;
}

/** The text of a JSON value, sometimes not quite: cut short, with something before or after, or not JSON at all. */
export function mutateText(text: string, random: SeededRandom): string {
  const at = random.below(text.length + 1);
  switch (random.below(6)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(at);
    case 2:
      return (
        text.slice(0, at) + random.pick(['\u0000', '"', '{', '}', ',', '\\', '\ud800', '1e999', '//']) + text.slice(at)
      );
    case 3:
      return `${text}${text}`;
    case 4:
      return random.pick([
        '',
        'null',
        'undefined',
        '[]',
        '0',
        '<html>',
        '{"a":',
        'x'.repeat(20_000),
        '['.repeat(20_000),
      ]);
    default:
      return `\ufeff${text}`;
  }
}
