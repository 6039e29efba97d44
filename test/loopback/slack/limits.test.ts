/** What a person may ask for at most, and the sentence that says so. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, textOf, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ environment: { WAFBOT_CHARTS: 'none' } });
});
afterAll(() => world.stop());

async function answerTo(text: string): Promise<string> {
  await world.slack.command({ text });
  return textOf(await world.slack.nextMessage());
}

const ids = (count: number): string =>
  Array.from({ length: count }, (_, n) => `3ac26c59e15a4a11bb680a103a29d${String(n).padStart(3, '0')}`).join(', ');

describe('a sentence', () => {
  it('that is too long is refused with the limit', async () => {
    expect(await answerTo(`watch${' '.repeat(40_000)}x`)).toContain('That has 40006 characters; I read up to 2000');
  });

  it.each(['timeline last 24h on', 'watch on', 'digest daily at 9:00 on', 'settings hosts'])(
    'with too many hosts is refused with the limit: %s',
    async (beginning) => {
      expect(await answerTo(`${beginning} ${ids(51)}`)).toContain("That's 51 hosts; the limit is 50 at a time");
    },
  );
});

describe('digests and watches', () => {
  it('a digest whose times are closer than a quarter of an hour is refused with the limit', async () => {
    expect(await answerTo('digest daily at 00:00 00:01 00:02')).toContain(
      'Digests must be at least 15 minutes apart; 00:00 and 00:01 are closer',
    );
  });

  it('watches that would look all the time are refused with the limit', async () => {
    for (let n = 0; n < 5; n += 1) {
      expect(await answerTo(`watch attacks over ${n + 100} per 15m every 1m`)).toContain('Watch created');
    }
    const refused = 'Together, this channel’s watches would check more than 5 times a minute, the maximum';
    expect(await answerTo('watch every 1m')).toContain(refused);
    expect(await answerTo('watch')).toContain(refused);
    expect(await answerTo('watches')).toContain('*5* watches in this channel');
  });
});
