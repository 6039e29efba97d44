import { describe, expect, it } from 'vitest';
import { hasBecomeUsual, natureOf } from '../../../src/episodes/episode.ts';
import type { StoredBlock } from '../../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import { BARS } from '../../../src/episodes/verdict/index.ts';
import { createRandom } from '../../evaluation/traffic/random.ts';
import { at, DAY_MS, type Happening, HOUR_MS, logOn, MIDNIGHT_MS, MINUTE_MS, recordedSite } from './recorded-site.ts';

const surge = (from: string, to: string, more: Readonly<Record<string, number>> = { sqli: 60 }) => ({
  fromMs: at(from),
  toMs: at(to),
  more,
});
const clock = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().slice(11, 16));

describe('a rise', () => {
  it('has its true times to the minute, and the numbers of the service', async () => {
    const site = recordedSite([surge('02:37', '03:03')]);
    const { episodes, judged } = await site.within(at('00:00'), at('09:46'));
    expect(judged).toBe(true);
    expect(episodes).toHaveLength(1);
    const [episode] = episodes;
    expect([clock(episode?.onsetMs ?? 0), clock(episode?.endMs ?? 0)]).toEqual(['02:37', '03:03']);
    expect(episode).toMatchObject({ worst: 'surge', leading: ['sqli'] });
    expect(episode?.figures.total).toBe(site.count(at('02:37'), at('03:03')));
    expect(Math.abs((episode?.figures.expected ?? 0) / (10 * 26) - 1)).toBeLessThan(0.1);
    for (const { category, count } of episode?.figures.categories ?? []) {
      expect(count).toBe(site.count(at('02:37'), at('03:03'), category));
    }
  });

  it('expects of its categories together what it expects in total', async () => {
    const { episodes } = await recordedSite([surge('02:37', '03:03')]).within(at('00:00'), at('09:46'));
    const { expected, categories = [] } = episodes[0]?.figures ?? {};
    expect(categories.reduce((sum, category) => sum + (category.expected ?? 0), 0)).toBeCloseTo(expected ?? 0, 5);
  });

  it('begins and ends with its burst where next to nothing is usual', async () => {
    const single = (clockTime: string) => ({
      fromMs: at(clockTime),
      toMs: at(clockTime) + MINUTE_MS,
      more: { xss: 1 },
    });
    const site = recordedSite([single('00:40'), surge('06:00', '06:10', { sqli: 3 }), single('09:00')], { level: 0 });
    const { episodes } = await site.within(at('00:00'), at('11:00'));
    const rises = episodes.filter((episode) => natureOf(episode) === 'rise');
    expect(rises.map(({ onsetMs, endMs }) => [clock(onsetMs), clock(endMs)])).toEqual([['06:00', '06:10']]);
  });

  it('is no return to ordinary numbers at an hour at which a young site was down the day before', async () => {
    const down = { fromMs: at('07:00', -1), toMs: at('08:40', -1), instead: { requests: 0, attacks: 0 } };
    const { episodes } = await recordedSite([down], { bornMs: at('13:00', -2) }).within(at('00:00'), at('11:50'));
    expect(episodes).toEqual([]);
  });

  it('is the same whoever asks about which part of the night', async () => {
    const site = recordedSite([surge('02:37', '03:03'), surge('11:40', '12:25', { xss: 50 })]);
    const statistics = site.statisticsAt(at('15:00'));
    const all = (await site.within(at('00:00'), at('15:00'), at('15:00'), statistics)).episodes;
    expect(all.map(({ onsetMs, endMs }) => [clock(onsetMs), clock(endMs)])).toEqual([
      ['02:37', '03:03'],
      ['11:40', '12:25'],
    ]);
    for (const [from, to] of [
      ['02:30', '03:10'],
      ['02:40', '02:50'],
      ['03:00', '11:41'],
      ['12:00', '15:00'],
      ['12:20', '12:30'],
    ] as const) {
      const { episodes } = await site.within(at(from), at(to), at('15:00'), statistics);
      const expected = all.filter(({ onsetMs, endMs }) => onsetMs < at(to) && (endMs ?? 0) > at(from));
      expect(episodes).toEqual(expected);
    }
  });

  it('was ongoing while it lasted, with the onset that it has afterwards', async () => {
    const site = recordedSite([surge('02:37', '04:03')]);
    for (const now of ['03:00', '03:30', '04:00']) {
      const { episodes } = await site.within(at(now) - HOUR_MS, at(now));
      expect(episodes.map(({ onsetMs, endMs }) => [clock(onsetMs), endMs])).toEqual([['02:37', null]]);
    }
    const { episodes } = await site.within(at('02:00'), at('05:00'));
    expect(episodes.map(({ endMs }) => clock(endMs))).toEqual(['04:03']);
  });

  it('never changes what was to be seen of it by then', async () => {
    const site = recordedSite([surge('02:37', '04:03'), { ...surge('03:20', '04:03'), more: { sqli: 90 } }]);
    const whole = (await site.within(at('00:00'), at('09:00'))).episodes[0];
    for (const now of ['02:55', '03:15', '03:40', '04:30']) {
      const then = (await site.within(at('00:00'), at(now))).episodes[0];
      const shown = whole?.steps.filter(({ atMs }) => atMs <= at(now) - 3 * MINUTE_MS);
      expect(then?.steps).toEqual(shown);
    }
  });

  it('is one across midnight and noon, and two when it was calm in between', async () => {
    const across = await recordedSite([surge('11:30', '13:10')]).within(at('00:00'), at('18:00'));
    expect(across.episodes.map(({ onsetMs, endMs }) => [clock(onsetMs), clock(endMs)])).toEqual([['11:30', '13:10']]);
    const two = await recordedSite([surge('11:00', '11:30'), surge('12:10', '12:40')]).within(at('00:00'), at('18:00'));
    expect(two.episodes.map(({ onsetMs }) => clock(onsetMs))).toEqual(['11:00', '12:10']);
  });

  it('that is over hours before noon stays over after noon', async () => {
    const site = recordedSite([surge('09:00', '10:05', { sqli: 26 }), surge('10:05', '12:34', { sqli: 4 })]);
    const times = async (from: string, to: string) =>
      (await site.within(at(from), at(to), at('15:00'))).episodes.map(({ onsetMs, endMs, steps }) => [
        clock(onsetMs),
        clock(endMs),
        clock(steps[0]?.atMs ?? 0),
      ]);
    expect(await times('00:00', '15:00')).toEqual([['09:00', '10:05', '09:05']]);
    expect(await times('12:00', '15:00')).toEqual([]);
  });

  it('that is over keeps its categories while nothing of the next half day is known yet', async () => {
    const site = recordedSite([surge('09:00', '10:05', { sqli: 26 })]);
    const whole = (await site.within(at('00:00'), at('11:00'), at('15:00'))).episodes;
    expect(whole).toHaveLength(1);
    expect((await site.within(at('00:00'), at('12:02'), at('12:02'))).episodes).toEqual(whole);
  });

  it('does not hide one that begins a little later and goes on after noon', async () => {
    const none = { fromMs: at('10:05'), toMs: at('10:20'), instead: { requests: 990, attacks: 0 } };
    const site = recordedSite([surge('09:00', '10:05', { sqli: 26 }), none, surge('10:20', '18:00', { sqli: 26 })]);
    const times = async (from: string, to: string, now: string) =>
      (await site.within(at(from), at(to), at(now))).episodes
        .filter((episode) => natureOf(episode) === 'rise')
        .map(({ onsetMs, endMs }) => [clock(onsetMs), clock(endMs)]);
    expect(await times('12:00', '17:00', '17:00')).toEqual([['10:20', null]]);
    expect(await times('00:00', '19:00', '19:00')).toEqual([
      ['09:00', '10:05'],
      ['10:20', '18:00'],
    ]);
  });

  it('that ends right after noon stays beside one that begins a quarter of an hour later', async () => {
    const none = { fromMs: at('12:10'), toMs: at('12:25'), instead: { requests: 990, attacks: 0 } };
    const site = recordedSite([surge('11:40', '12:10'), none, surge('12:25', '13:00')]);
    for (const from of ['00:00', '12:00']) {
      const { episodes } = await site.within(at(from), at('15:00'), at('18:00'));
      const rises = episodes.filter((episode) => natureOf(episode) === 'rise');
      expect(rises.map(({ onsetMs, endMs }) => [clock(onsetMs), clock(endMs)])).toEqual([
        ['11:40', '12:10'],
        ['12:25', '13:00'],
      ]);
    }
  });

  it('does not hide one that comes hours later, while traffic stayed above usual in between', async () => {
    const site = recordedSite([
      surge('10:00', '11:30', { sqli: 60 }),
      surge('11:30', '16:05', { sqli: 4 }),
      surge('16:05', '18:00', { sqli: 11 }),
    ]);
    for (const from of ['00:00', '12:00']) {
      const { episodes } = await site.within(at(from), at('19:00'), at('20:00'));
      expect(episodes.some(({ steps, endMs }) => clock(endMs) === '18:00' && (steps[0]?.atMs ?? 0) > at('16:05'))).toBe(
        true,
      );
    }
  });

  it('with a weaker time between two strong ones is one, and counted once', async () => {
    const site = recordedSite([surge('13:00', '14:00'), surge('14:00', '16:00', { sqli: 8 }), surge('16:00', '17:00')]);
    const { episodes } = await site.within(at('12:00'), at('20:00'));
    expect(episodes.map(({ onsetMs, endMs }) => [clock(onsetMs), clock(endMs)])).toEqual([['13:00', '17:00']]);
  });

  it.each(['15:53', '16:00', '16:05'])('across noon keeps what was expected when it ends at %s', async (end) => {
    const site = recordedSite([surge('11:00', end)]);
    const [rise, ...others] = (await site.within(at('10:30'), at('17:00'), at('17:30'))).episodes;
    expect(others).toEqual([]);
    expect(Math.abs((rise?.endMs ?? 0) - at(end))).toBeLessThanOrEqual(10 * MINUTE_MS);
    expect(rise?.figures.total).toBe(site.count(at('11:00'), rise?.endMs ?? 0));
    expect((rise?.figures.expected ?? 0) / ((10 * ((rise?.endMs ?? 0) - at('11:00'))) / MINUTE_MS)).toBeCloseTo(1, 1);
    expect(rise?.leading).toEqual(['sqli']);
  });

  it('that grows all night is one, whoever asks about which part of it', async () => {
    const { numbers } = recordedSite([], { level: 2 });
    const [fromMs, toMs, now] = [at('23:12'), at('12:42', 1), at('20:00', 1)];
    const random = createRandom(17, 5);
    const more = numbers.attacks.map((_, minute) => {
      const ms = numbers.startMs + minute * MINUTE_MS;
      return random.poisson(1 + (ms < fromMs || ms >= toMs ? 0 : (6 * (ms - fromMs)) / (toMs - fromMs)));
    });
    const withMore = (column: readonly (number | null)[] = []) =>
      column.map((count, minute) => (count ?? 0) + (more[minute] ?? 0));
    const { cc, ...others } = numbers.categories;
    const categories = { ...others, cc: withMore(cc) };
    const statistics = recordedStatistics({ ...numbers, attacks: withMore(numbers.attacks), categories })(now);
    const seen = async (from: number, to: number) => {
      const list = await logOn(statistics, now).within({ fromMs: from, toMs: to, hosts: [] });
      return list?.episodes.map(({ id, onsetMs, endMs }) => [id, onsetMs, endMs]);
    };
    const all = await seen(at('20:00'), now);
    expect(all).toHaveLength(1);
    expect(await seen(at('12:02', 1), at('12:30', 1))).toEqual(all);
  });

  it('expects of its categories what came of them before it, also after a day', async () => {
    const site = recordedSite([{ fromMs: at('10:20', -1), toMs: at('22:00'), more: { webshell: 30 } }]);
    for (const now of [at('15:00', -1), at('03:00'), at('15:00')]) {
      const [rise] = (await site.within(now - HOUR_MS, now)).episodes;
      const expected = new Map(rise?.figures.categories.map((each) => [each.category, each.expected]));
      expect(expected.get('webshell')).toBe(0);
      const cc = site.count(at('10:20', -1), now - 3 * MINUTE_MS, 'cc');
      expect((expected.get('cc') ?? 0) / cc).toBeCloseTo(1, 1);
    }
  });

  it('does not make itself usual: after twelve hours it is as many times the usual as after one', async () => {
    const site = recordedSite([surge('02:00', '16:00', { sqli: 30 })]);
    const times = await Promise.all(
      ['03:00', '08:00', '14:00'].map(async (now) => {
        const { episodes } = await site.within(at(now) - HOUR_MS, at(now));
        expect(episodes.map(({ onsetMs }) => clock(onsetMs))).toEqual(['02:00']);
        const { total = 0, expected = 0 } = episodes[0]?.figures ?? {};
        return total / (expected ?? 1);
      }),
    );
    for (const each of times) expect(Math.abs(each / (times[0] ?? 1) - 1)).toBeLessThan(0.1);
  });
});

describe('a rise of days', () => {
  const [fromMs, toMs] = [at('18:20', -2), at('05:40', 1)];
  const site = recordedSite([{ fromMs, toMs, more: { cc: 30 } }]);
  const rises = async (windowMs: number, nowMs: number) =>
    (await site.within(nowMs - windowMs, nowMs)).episodes.filter((episode) => natureOf(episode) === 'rise');

  it.each([
    ['after five hours', at('23:00', -2)],
    ['after a day', at('19:00', -1)],
    ['after a day and a half', at('06:30')],
    ['after two days', at('20:30')],
  ])('is still the same %s, and as many times the usual', async (_, nowMs) => {
    for (const windowMs of [HOUR_MS, nowMs - fromMs + HOUR_MS]) {
      const found = await rises(windowMs, nowMs);
      expect(found.map(({ onsetMs, endMs }) => [onsetMs, endMs])).toEqual([[fromMs, null]]);
      const { total = 0, expected = 0 } = found[0]?.figures ?? {};
      expect(Math.abs(total / (expected ?? 1) / 4 - 1)).toBeLessThan(0.1);
      expect(found[0]?.steps[0]?.atMs).toBeLessThan(fromMs + 20 * MINUTE_MS);
    }
  });

  it('is over when it is, whoever asks', async () => {
    const nowMs = at('20:00', 1);
    for (const windowMs of [15 * HOUR_MS, 30 * HOUR_MS, 4 * DAY_MS]) {
      const found = await rises(windowMs, nowMs);
      expect(found.map(({ onsetMs, endMs, figures }) => [onsetMs, endMs, figures.total])).toEqual([
        [fromMs, toMs, site.count(fromMs, toMs)],
      ]);
    }
  });

  it('is the same for everyone, although it is hardly more than the rule asks for', async () => {
    const mild = { fromMs: at('01:10', -1), toMs: at('21:10'), more: { cc: 6 } };
    const ofMild = recordedSite([mild]);
    const times = async (windowMs: number, toMs: number, nowMs: number) =>
      (await ofMild.within(toMs - windowMs, toMs, nowMs)).episodes
        .filter((episode) => natureOf(episode) === 'rise')
        .map(({ onsetMs, endMs }) => [onsetMs, endMs]);
    for (const clockTime of ['02:00', '14:00']) {
      expect(await times(HOUR_MS, at(clockTime), at(clockTime))).toEqual([[mild.fromMs, null]]);
    }
    const over = await times(2 * DAY_MS, at('12:00', 1), at('20:00', 1));
    expect(over).toHaveLength(1);
    expect(Math.abs((over[0]?.[1] ?? 0) - mild.toMs)).toBeLessThan(5 * MINUTE_MS);
    expect(await times(HOUR_MS, at('02:00'), at('20:00', 1))).toEqual(over);
    expect(await times(HOUR_MS, at('14:00'), at('20:00', 1))).toEqual(over);
  });

  it('is held against weekends where these are quieter', async () => {
    const week = (back: number) => at('00:00', -7 * back - 2);
    const busy = [0, 1, 2, 3, 4].map((back) => ({
      fromMs: week(back),
      toMs: week(back) + 5 * DAY_MS,
      more: { xss: 20 },
    }));
    const flood = { fromMs: at('12:00', -5), toMs: at('23:00', -3), more: { cc: 90 } };
    const usual = recordedSite(busy);
    const nowMs = at('21:03', -3);
    const [found] = (await recordedSite([...busy, flood]).within(nowMs - HOUR_MS, nowMs)).episodes;
    expect(found?.onsetMs).toBe(flood.fromMs);
    const truly = usual.count(flood.fromMs, at('21:00', -3));
    expect(Math.abs((found?.figures.expected ?? 0) / truly - 1)).toBeLessThan(0.15);
  });

  it('of thirty times the usual is no habit on its third day', async () => {
    const began = at('18:20', -2);
    const flood = { fromMs: began, toMs: at('14:00', 1), more: { cc: 300 } };
    const site = recordedSite([flood, { fromMs: at('08:00', 1), toMs: at('14:00', 1), more: { cc: 400 } }]);
    for (const hours of [47, 59, 62, 66]) {
      const nowMs = began + hours * HOUR_MS;
      const { episodes } = await site.within(nowMs - HOUR_MS, nowMs);
      expect(episodes.map(({ onsetMs, endMs }) => [onsetMs, endMs])).toEqual([[began, null]]);
    }
    const { episodes } = await site.within(at('00:00', -2), at('20:00', 1));
    expect(episodes.map(({ onsetMs, endMs }) => [onsetMs, endMs])).toEqual([[began, at('14:00', 1)]]);
  });

  it('is what is usual after three days', async () => {
    const began = at('18:20', -4);
    const forGood = recordedSite([{ fromMs: began, toMs: at('00:00', 9), more: { cc: 30 } }]);
    const { episodes } = await forGood.within(at('00:00', -4), at('20:00', 1));
    expect(episodes.map(({ onsetMs, endMs }) => [onsetMs, endMs])).toEqual([[began, began + 3 * DAY_MS]]);
    expect((await forGood.within(at('19:00', 1), at('20:00', 1))).episodes).toEqual([]);
  });
});

describe('what is no episode', () => {
  it.each([
    ['nothing unusual', []],
    ['three attacks more', [surge('02:37', '02:38', { sqli: 3 })]],
    [
      'what came at that time of every week',
      [0, 7, 14, 21, 28].map((days) => ({
        fromMs: at('02:30') - days * DAY_MS,
        toMs: at('03:00') - days * DAY_MS,
        more: { sqli: 40 },
      })),
    ],
    [
      'more visitors with their share of attacks',
      [{ fromMs: at('02:00'), toMs: at('05:00'), visitors: 2.5, more: { cc: 12 } }],
    ],
  ])('%s', async (_, happenings) => {
    const { episodes, judged } = await recordedSite(happenings).within(at('00:00'), at('09:00'));
    expect({ episodes, judged }).toEqual({ episodes: [], judged: true });
  });

  it('the zeros before a site existed are not what is usual on it', async () => {
    const site = recordedSite([], { bornMs: MIDNIGHT_MS - 10 * DAY_MS });
    expect((await site.within(at('00:00'), at('09:00'))).episodes).toEqual([]);
  });
});

describe('what is usual', () => {
  const days = (...all: readonly number[]) => all.map((day) => day * DAY_MS);
  const hours = (from: string, to: string, happening: Omit<Happening, 'fromMs' | 'toMs'>) => (backMs: number) => ({
    fromMs: at(from) - backMs,
    toMs: at(to) - backMs,
    ...happening,
  });
  const seenIn = async (happenings: readonly Happening[], options = {}) => {
    const { episodes } = await recordedSite(happenings, options).within(at('00:00'), at('11:50'));
    return episodes.map((episode) => `${natureOf(episode)} ${clock(episode.onsetMs)}`);
  };

  it('follows from no day on which nobody could visit the site', async () => {
    const outage = hours('00:00', '24:00', { instead: { requests: 0, attacks: 0 } });
    expect(await seenIn(days(1).map(outage))).toEqual([]);
  });

  it('is the same after an attack at that hour in one of the weeks', async () => {
    const attack = hours('03:00', '03:40', { more: { sqli: 90 } });
    expect(await seenIn([...days(7).map(attack), surge('03:00', '03:40', { cc: 10 })])).toEqual(['rise 03:00']);
  });

  it('is the same after a flood of a few hours', async () => {
    const flood = hours('20:00', '23:00', { more: { cc: 200 } });
    expect(await seenIn([...days(1).map(flood), surge('03:00', '03:30', { sqli: 20 })])).toEqual(['rise 03:00']);
  });

  it('is the same after a month with some attacks, up to two a week: they are no reason to wait for larger ones', async () => {
    const attacks = Array.from({ length: 7 }, (_, index) => {
      const fromMs = at('00:00', -3 * index - 2) + ((index * 397) % 1_300) * MINUTE_MS;
      return { fromMs, toMs: fromMs + (20 + ((index * 7) % 40)) * MINUTE_MS, more: { cc: 60 + 30 * (index % 4) } };
    });
    const strengthAfter = async (past: readonly Happening[]) => {
      const site = recordedSite([...past, surge('03:00', '03:30', { cc: 9 })]);
      return (await site.within(at('00:00'), at('11:50'))).episodes[0]?.strength ?? 0;
    };
    const strength = await strengthAfter(attacks);
    expect(strength).toBeGreaterThan(BARS.normal);
    expect(strength / (await strengthAfter([]))).toBeGreaterThan(0.8);
  });

  it('has room for eight larger attacks in four whole weeks, and no more', async () => {
    const alertsAfter = async (count: number): Promise<boolean> => {
      const attacks = Array.from({ length: count }, (_, index) => {
        const fromMs = at('00:00', -Math.round((26 * (index + 1)) / 12)) + ((index * 397) % 1_300) * MINUTE_MS;
        return { fromMs, toMs: fromMs + 30 * MINUTE_MS, more: { cc: 120 } };
      });
      const site = recordedSite([...attacks, { fromMs: at('14:00', 1), toMs: at('14:30', 1), more: { sqli: 60 } }], {
        level: 40,
      });
      const { episodes } = await site.within(at('12:00', 1), at('16:00', 1), at('17:00', 1));
      return (episodes[0]?.strength ?? 0) >= BARS.normal;
    };
    expect([await alertsAfter(8), await alertsAfter(9)]).toEqual([true, false]);
  });

  it('has room for one larger attack on the day before, when the site began', async () => {
    const attack = { fromMs: at('09:10', -1), toMs: at('09:40', -1), more: { cc: 120 } };
    const site = recordedSite([attack, surge('14:00', '14:30', { sqli: 60 })], { level: 40, bornMs: at('00:00', -1) });
    const { episodes } = await site.within(at('12:00'), at('16:00'), at('17:00'));
    expect(episodes[0]?.strength).toBeGreaterThan(BARS.normal);
  });

  it('is what comes about every day, whenever that is', async () => {
    const burst = (day: number): Happening => {
      const fromMs = at('00:00', day) + ((-day * 397) % 1_400) * MINUTE_MS;
      return { fromMs, toMs: fromMs + 20 * MINUTE_MS, more: { cc: 13 + (-day % 5) } };
    };
    const bursts = Array.from({ length: 34 }, (_, index) => burst(-index - 1));
    const strengthOf = async (perMinute: number) =>
      (await recordedSite([...bursts, surge('03:00', '03:20', { cc: perMinute })]).within(at('00:00'), at('11:50')))
        .episodes[0]?.strength ?? 0;
    expect(await strengthOf(15)).toBeLessThan(BARS.normal);
    expect(await strengthOf(60)).toBeGreaterThan(BARS.normal);
  });

  it('is no flood of a whole day: the day after has not lost its attacks', async () => {
    expect(await seenIn(days(1).map(hours('00:00', '24:00', { more: { cc: 300 } })))).toEqual([]);
  });

  it.each([
    ['as many', 1],
    ['half as many', 0.5],
  ])('comes back with the visitors after a holiday with %s attacks, and no more than that', async (_, attacks) => {
    const holiday = hours('00:00', '24:00', { visitors: 0.38, attacks });
    const site = recordedSite([...days(1).map(holiday), surge('03:00', '03:40', { cc: 40 })], { level: 40 });
    const { episodes } = await site.within(at('00:10'), at('11:50'));
    expect(episodes.map((episode) => `${natureOf(episode)} ${clock(episode.onsetMs)}`)).toEqual(['rise 03:00']);
    const { total = 0, expected } = episodes[0]?.figures ?? {};
    expect(Math.abs(total / (expected ?? 0) / 2 - 1)).toBeLessThan(0.15);
  });

  it('grows with the visitors up to four times, so that a flood of both is seen', async () => {
    const flood = { ...surge('03:00', '03:40', { cc: 90 }), visitors: 30 };
    const { episodes } = await recordedSite([flood]).within(at('00:00'), at('09:00'));
    expect(episodes.map((episode) => natureOf(episode))).toContain('rise');
  });

  it('has a rhythm in the first week: an attack at night is seen beside busy days', async () => {
    const busy = hours('08:00', '18:00', { more: { cc: 40 } });
    const happenings = [...days(0, 1, 2, 3, 4, 5).map(busy), surge('03:00', '03:30', { sqli: 30 })];
    expect(await seenIn(happenings, { bornMs: at('00:00', -5) })).toEqual(['rise 03:00']);
  });

  it('comes by UTC, although the clocks have changed', async () => {
    const scan = hours('03:00', '03:20', { more: { sqli: 40 } });
    const site = recordedSite(days(14, 21, 28, 35).map(scan));
    const nowMs = at('11:50', -14);
    // Morocco set its clocks back on 15 February.
    const log = logOn(site.statisticsAt(nowMs), nowMs, null, 'Africa/Casablanca');
    expect((await log.within({ fromMs: at('00:00', -14), toMs: nowMs, hosts: [] }))?.episodes).toEqual([]);
  });

  it.each([
    ['America/New_York', 5, 8],
    ['Europe/Berlin', 3, 1],
    ['Australia/Lord_Howe', 10, 4],
  ])('comes by the clock of %s, also on the day on which it changes', async (zone, month, day) => {
    const start = Temporal.PlainDate.from({ year: 2026, month, day });
    const change = start.toZonedDateTime(zone).getTimeZoneTransition('next');
    if (change === null) throw new Error(`no clock changes in ${zone}`);
    const { numbers } = recordedSite([], { level: 5 });
    const startMs = Math.floor(change.epochMilliseconds / DAY_MS) * DAY_MS - 35 * DAY_MS;
    /** A scan from 03:00 to 05:00 by the local clock. */
    const scan = numbers.attacks.map((_, minute) => {
      const local = Temporal.Instant.fromEpochMilliseconds(startMs + minute * MINUTE_MS).toZonedDateTimeISO(zone);
      return local.hour >= 3 && local.hour < 5 ? 25 : 0;
    });
    const withScan = (column: readonly (number | null)[] = []) =>
      column.map((count, minute) => (count ?? 0) + (scan[minute] ?? 0));
    const { sqli, ...others } = numbers.categories;
    const requests = withScan(numbers.requests);
    const categories = { ...others, sqli: withScan(sqli) };
    const now = startMs + 36 * DAY_MS;
    const statistics = recordedStatistics({
      ...numbers,
      ...{ startMs, requests, categories },
      attacks: withScan(numbers.attacks),
    })(now);
    const list = await logOn(statistics, now, null, zone).within({ fromMs: now - 36 * HOUR_MS, toMs: now, hosts: [] });
    expect(list?.episodes.filter(({ strength }) => strength >= BARS.normal)).toEqual([]);
  });

  it('is more on workdays, which explains nothing on a Sunday', async () => {
    const busy = hours('03:00', '04:00', { more: { sqli: 20 } });
    const sunday = at('00:00', -3);
    const workdays = Array.from({ length: 34 }, (_, back) => back).filter((back) => back % 7 !== 3 && back % 7 !== 4);
    const attack = { fromMs: at('03:10', -3), toMs: at('03:50', -3), more: { cc: 20 } };
    const site = recordedSite([...days(...workdays).map(busy), attack]);
    const { episodes } = await site.within(sunday, at('11:50', -3));
    expect(episodes.map(({ onsetMs }) => clock(onsetMs))).toEqual(['03:10']);
  });

  it('is what it was, after a day with fewer attacks, or none', async () => {
    const few = { fromMs: at('00:00', -1), toMs: at('00:00'), attacks: 0.5 };
    const none = { fromMs: at('02:00', -1), toMs: at('00:00'), instead: { requests: 990, attacks: 0 } };
    for (const before of [few, none]) {
      const { episodes } = await recordedSite([before], { level: 40 }).within(at('00:10'), at('11:50'));
      expect(episodes).toEqual([]);
    }
  });

  it('is a weekly scan, also on a site that has fewer attacks since some days, and not twice as large a one', async () => {
    const scan = (week: number, sqli = 40): Happening => ({
      fromMs: at('03:00', -7 * week),
      toMs: at('05:00', -7 * week),
      more: { sqli },
    });
    const fewer = { fromMs: at('00:00', -5), toMs: at('24:00'), attacks: 0.4 };
    const found = async (...happenings: readonly Happening[]) =>
      (await recordedSite(happenings).within(at('00:00'), at('09:00'))).episodes.map(({ worst }) => worst);
    expect(await found(fewer, ...[0, 1, 2, 3, 4].map((week) => scan(week)))).toEqual([]);
    expect(await found(scan(1), scan(3), scan(0, 80))).toEqual(['surge']);
  });

  it('comes a little early or late', async () => {
    const scan = hours('03:00', '03:20', { more: { sqli: 40 } });
    const late = (minutes: number, weeks: number) => scan(7 * weeks * DAY_MS - minutes * MINUTE_MS);
    expect(await seenIn([late(0, 0), late(-20, 1), late(10, 2), late(20, 3), late(-10, 4)])).toEqual([]);
  });
});

describe('a drop', () => {
  const gone = { requests: 0, attacks: 0 };
  it('is visitors who are gone, and attacks that stop while visitors keep coming', async () => {
    const site = recordedSite([
      { fromMs: at('02:00'), toMs: at('02:40'), instead: gone },
      { fromMs: at('06:00'), toMs: at('07:00'), instead: { requests: 990, attacks: 0 } },
    ]);
    const { episodes } = await site.within(at('00:00'), at('09:00'));
    expect(episodes.map((episode) => [natureOf(episode), clock(episode.onsetMs), clock(episode.endMs)])).toEqual([
      ['requests', '02:00', '02:40'],
      ['attacks', '06:00', '07:00'],
    ]);
  });

  it('is attacks that do not come back with the visitors, from then on', async () => {
    const site = recordedSite([
      { fromMs: at('02:00'), toMs: at('06:00'), instead: gone },
      { fromMs: at('06:00'), toMs: at('09:00'), instead: { requests: 990, attacks: 0 } },
    ]);
    for (const now of ['06:25', '07:00', '08:00', '12:00']) {
      const { episodes } = await site.within(at('00:00'), at(now));
      expect(episodes.map((episode) => [natureOf(episode), clock(episode.onsetMs)])).toEqual([
        ['requests', '02:00'],
        ['attacks', '06:00'],
      ]);
      expect(episodes[1]?.steps.map(({ atMs }) => clock(atMs))).toEqual(['06:15', '06:20']);
    }
  });

  it('is told as soon as few are left, however long more than that were left before', async () => {
    for (const from of ['04:50', '04:00', '02:00']) {
      const site = recordedSite([
        { fromMs: at(from), toMs: at('05:00'), instead: { requests: 250, attacks: 3 } },
        { fromMs: at('05:00'), toMs: at('07:00'), instead: gone },
      ]);
      const [drop, ...others] = (await site.within(at('00:00'), at('06:00'))).episodes;
      expect(others).toEqual([]);
      expect([drop?.drop, clock(drop?.onsetMs ?? 0)]).toEqual(['requests', from]);
      expect(drop?.steps.map(({ atMs }) => clock(atMs))).toEqual(['05:05', '05:06']);
    }
  });

  it('goes on while few are left, also for days', async () => {
    const site = recordedSite(
      [{ fromMs: at('09:30', -6), toMs: at('00:00', 2), instead: { requests: 990, attacks: 1 } }],
      {
        level: 20,
      },
    );
    const stored = new Map<string, StoredBlock>();
    const blocks = {
      get: async (key: string) => stored.get(key),
      set: async (key: string, block: StoredBlock) => stored.set(key, block),
    };
    for (let now = at('12:00', -6); now <= at('12:00'); now += 12 * HOUR_MS) {
      const list = await logOn(site.statisticsAt(now), now, blocks).within({
        fromMs: now - HOUR_MS,
        toMs: now,
        hosts: [],
      });
      expect(list?.episodes.map(({ drop, onsetMs, endMs }) => [drop, onsetMs, endMs])).toEqual([
        ['attacks', at('09:30', -6), null],
      ]);
      const { expected, untilMs } = list?.episodes[0]?.figures ?? { expected: 0, untilMs: 0 };
      expect((expected ?? 0) / ((20 * (untilMs - at('09:30', -6))) / MINUTE_MS)).toBeCloseTo(1, 1);
    }
  });

  it.each([0, 2, 3])('that stays, with %s of about 75 left, is what is usual after four weeks', async (left) => {
    const [startMs, began, intervalMs] = [at('00:00', -49), at('10:00', -20), 10 * MINUTE_MS];
    const attacks = Array.from({ length: 60 * 144 }, (_, index) =>
      startMs + index * intervalMs < began ? 60 + ((index * 7) % 30) : left,
    );
    const numbers = { startMs, intervalMs, attacks, requests: attacks.map((count) => count + 5_000), categories: null };
    const stored = new Map<string, StoredBlock>();
    const blocks = {
      get: async (key: string) => stored.get(key),
      set: async (key: string, block: StoredBlock) => stored.set(key, block),
    };
    const told = new Set<string>();
    for (let nowMs = began + 2 * HOUR_MS; nowMs <= at('11:00', 10); nowMs += 7 * HOUR_MS) {
      const log = logOn(recordedStatistics(numbers)(nowMs), nowMs, blocks);
      const list = await log.within({ fromMs: nowMs - 8 * HOUR_MS, toMs: nowMs, hosts: [] });
      for (const episode of list?.episodes ?? []) {
        const { drop, onsetMs, endMs } = episode;
        const length = endMs === null ? 'goes on' : `${(endMs - onsetMs) / DAY_MS} days`;
        told.add(`${drop} ${onsetMs === began} ${length} ${hasBecomeUsual(episode)}`);
      }
    }
    expect([...told]).toEqual(['attacks true goes on false', 'attacks true 28 days true']);
  });

  it.each([
    ['02:00', '02:50', '06:00', '06:00'],
    ['02:00', '02:50', '06:00', '09:00'],
    ['11:00', '11:50', '13:10', '13:10'],
    ['11:00', '11:50', '13:10', '16:00'],
  ])('of attacks from %s goes on while visitors are gone from %s to %s, until %s', async (from, down, up, back) => {
    const site = recordedSite([
      { fromMs: at(from), toMs: at(back), instead: { requests: 990, attacks: 0 } },
      { fromMs: at(down), toMs: at(up), instead: gone },
    ]);
    const told = async (nowMs: number) =>
      (await site.within(nowMs - HOUR_MS, nowMs)).episodes.map(({ drop, onsetMs, endMs }) => [
        drop,
        clock(onsetMs),
        clock(endMs),
      ]);
    for (let nowMs = at(down) + 11 * MINUTE_MS; nowMs <= at(up); nowMs += 30 * MINUTE_MS) {
      expect(await told(nowMs), clock(nowMs) ?? '').toEqual([
        ['attacks', from, null],
        ['requests', down, null],
      ]);
    }
    for (let nowMs = at(up) + 20 * MINUTE_MS; nowMs <= at(back); nowMs += 30 * MINUTE_MS) {
      expect(await told(nowMs), clock(nowMs) ?? '').toContainEqual(['attacks', from, null]);
    }
    const { episodes } = await site.within(at('00:00'), at('20:00'));
    expect(
      episodes.map(({ drop, onsetMs, endMs, figures }) => [
        drop,
        clock(onsetMs),
        clock(endMs),
        figures.visitorsUnknown === true,
      ]),
    ).toEqual([
      // Visitors didn't keep coming until its end.
      ['attacks', from, back, up === back],
      ['requests', down, up, false],
    ]);
  });

  it('goes on through a night in which hardly any are expected, whatever strays in', async () => {
    for (const left of [0, 0.1]) {
      const nights = Array.from({ length: 37 }, (_, index): Happening => {
        const fromMs = at('18:00', index - 35);
        return { fromMs, toMs: fromMs + 12 * HOUR_MS, attacks: left };
      });
      const site = recordedSite([
        ...nights,
        { fromMs: at('15:00'), toMs: at('08:00', 1), instead: { requests: 990, attacks: 0 } },
        { fromMs: at('23:00'), toMs: at('23:01'), instead: { requests: 990, attacks: 2 } },
      ]);
      for (const [now, end] of [
        ['15:30', null],
        ['18:30', null],
        ['23:30', null],
        ['27:00', null],
        ['31:00', null],
        ['33:00', '08:00'],
      ] as const) {
        const { episodes } = await site.within(at(now) - 2 * HOUR_MS, at(now));
        expect(
          episodes.map((each) => [each.drop, clock(each.onsetMs), clock(each.endMs)]),
          now,
        ).toEqual([['attacks', '15:00', end]]);
      }
    }
  });

  it('goes on in the maintenance that comes every week', async () => {
    const maintained = (days: number): Happening => ({
      fromMs: at('03:00', days),
      toMs: at('03:50', days),
      instead: gone,
    });
    const stopped = { fromMs: at('01:00'), toMs: at('05:00'), instead: { requests: 990, attacks: 0 } };
    const site = recordedSite([stopped, ...[0, -7, -14, -21, -28].map(maintained)]);
    for (const [now, end] of [
      ['02:00', null],
      ['03:30', null],
      ['04:20', null],
      ['06:00', '05:00'],
    ] as const) {
      const { episodes } = await site.within(at('01:00'), at(now));
      expect(
        episodes.map((each) => [each.drop, clock(each.onsetMs), clock(each.endMs)]),
        now,
      ).toEqual([['attacks', '01:00', end]]);
    }
  });

  it('of attacks is seen where no visitors are known, and says so', async () => {
    for (const requests of [0, null]) {
      const { numbers } = recordedSite([{ fromMs: at('02:00'), toMs: at('05:00'), instead: gone }]);
      const only = requests === null ? numbers.attacks.map(() => null) : numbers.attacks;
      const statistics = recordedStatistics({ ...numbers, requests: only })(at('04:00'));
      const list = await logOn(statistics, at('04:00')).within({ fromMs: at('03:00'), toMs: at('04:00'), hosts: [] });
      expect(
        list?.episodes.map(({ drop, onsetMs, figures }) => [drop, clock(onsetMs), figures.visitorsUnknown]),
      ).toEqual([['attacks', '02:00', true]]);
    }
  });

  it('is no maintenance that comes every week, but what is left of one that takes longer', async () => {
    const maintained = (days: number, until: string) => ({
      fromMs: at('02:00', days),
      toMs: at(until, days),
      instead: gone,
    });
    const weeks = [-7, -14, -21, -28].map((days) => maintained(days, '02:50'));
    const seen = async (until: string) =>
      (await recordedSite([...weeks, maintained(0, until)]).within(at('00:00'), at('09:00'))).episodes.map(
        (episode) => [natureOf(episode), clock(episode.onsetMs), clock(episode.endMs)],
      );
    expect(await seen('02:50')).toEqual([]);
    // The ten minutes beside it may belong to it.
    expect(await seen('04:10')).toEqual([['requests', '03:00', '04:10']]);
  });

  it.each([
    ['02:04', '04:57'],
    ['02:07', '04:53'],
    ['01:56', '05:03'],
    ['02:00', '05:00'],
  ])('is no maintenance for hours that comes every week from %s to %s', async (from, until) => {
    const maintained = [0, -7, -14, -21, -28].map((days) => ({
      fromMs: at(from, days),
      toMs: at(until, days),
      instead: gone,
    }));
    expect((await recordedSite(maintained).within(at('00:00'), at('09:00'))).episodes).toEqual([]);
  });

  it('stays what it was while attacks come back slowly', async () => {
    const few = (from: string, to: string, attacks: number) => ({
      fromMs: at(from),
      toMs: at(to),
      instead: { requests: 990, attacks },
    });
    const site = recordedSite([few('02:00', '03:00', 0), few('03:00', '09:00', 8)], { level: 40 });
    for (const [now, end] of [
      ['02:30', null],
      ['03:30', null],
      ['05:00', null],
      ['11:00', '09:00'],
    ] as const) {
      const { episodes } = await site.within(at('01:00'), at(now));
      expect(episodes.map((each) => [natureOf(each), clock(each.onsetMs), clock(each.endMs), each.strength])).toEqual([
        ['attacks', '02:00', end, 9],
      ]);
    }
  });

  describe("on a site's first day, which has no rhythm yet,", () => {
    const times = [0.6, 0.4, 0.25, 0.15, 0.08, 0.05, 0.03, 0.03, 0.03, 0.03, 0.03, 0.08, 0.3];
    const night = times.map((share, hour): Happening => {
      const fromMs = at('18:00') + hour * HOUR_MS;
      return { fromMs, toMs: fromMs + HOUR_MS, visitors: share, attacks: share };
    });
    const seen = async (now: string, ...happenings: readonly Happening[]) =>
      (
        await recordedSite([...night, ...happenings], { bornMs: at('06:10'), level: 30 }).within(at('06:10'), at(now))
      ).episodes
        .filter(({ drop }) => drop !== undefined)
        .map(({ drop, onsetMs, endMs }) => [drop, clock(onsetMs), clock(endMs)]);

    it('is no night, whenever that is looked at', async () => {
      for (const now of ['20:30', '22:00', '23:30', '25:00', '29:00', '31:00']) {
        expect(await seen(now), now).toEqual([]);
      }
    });

    it.each([0, 40])('is an outage at noon, until it is over, with %i of 1,000 visits left', async (requests) => {
      const outage = { fromMs: at('12:00'), toMs: at('15:20'), instead: { requests, attacks: 0 } };
      expect(await seen('12:15', outage)).toEqual([['requests', '12:00', null]]);
      expect(await seen('14:50', outage)).toEqual([['requests', '12:00', null]]);
      expect(await seen('17:00', outage)).toEqual([['requests', '12:00', '15:20']]);
      expect(await seen('23:30', outage)).toEqual([['requests', '12:00', '15:20']]);
    });

    it('is attacks that stop while visitors go on', async () => {
      const stopped = { fromMs: at('11:00'), toMs: at('12:30'), instead: { requests: 970, attacks: 0 } };
      expect(await seen('14:00', stopped)).toEqual([['attacks', '11:00', '12:30']]);
    });
  });

  describe('is not told for attacks at their ordinary number, which is sometimes small,', () => {
    /** One attack in two minutes on average. */
    const dropsOf = async (
      times: (ms: number) => number,
      { visitors = [], from }: { readonly visitors?: readonly Happening[]; readonly from: number },
    ) => {
      const { numbers } = recordedSite(visitors);
      const random = createRandom(17, 5);
      const attacks = numbers.requests.map((_, minute) =>
        random.poisson(0.5 * times(numbers.startMs + minute * MINUTE_MS)),
      );
      const now = from + 10 * HOUR_MS;
      const statistics = recordedStatistics({ ...numbers, attacks, categories: null })(now);
      const list = await logOn(statistics, now).within({ fromMs: from, toMs: now, hosts: [] });
      return list?.episodes.map((episode) => natureOf(episode)).filter((nature) => nature !== 'rise');
    };

    it('after a slow burn of two days that nobody noticed', async () => {
      const [began, ended] = [at('00:00', -2), at('00:00')];
      const burn = (ms: number) => (ms < began || ms >= ended ? 1 : 5 ** ((ms - began) / (ended - began)));
      expect(await dropsOf(burn, { from: ended })).toEqual([]);
    });

    it('while four times as many visitors come', async () => {
      const crowd = { fromMs: at('02:00'), toMs: at('08:00'), visitors: 4 };
      expect(await dropsOf(() => 1, { visitors: [crowd], from: at('00:00') })).toEqual([]);
    });
  });

  it('that lasts for hours is held against what was usual before it', async () => {
    const site = recordedSite([{ fromMs: at('02:00'), toMs: at('11:00'), instead: { requests: 990, attacks: 0 } }]);
    const { episodes } = await site.within(at('10:00'), at('10:50'));
    const drop = episodes.find((episode) => natureOf(episode) === 'attacks');
    expect([clock(drop?.onsetMs ?? 0), drop?.endMs]).toEqual(['02:00', null]);
    expect(Math.abs((drop?.figures.expected ?? 0) / (10 * 60 * 8.75) - 1)).toBeLessThan(0.03);
  });

  describe.each([1, 3])('of days, with %i of 40 attacks left,', (attacks) => {
    const fromMs = at('02:00', -2);
    const site = recordedSite([{ fromMs, toMs: at('24:00', 1), instead: { requests: 990, attacks } }], { level: 40 });
    it.each([15, 29, 39, 66])('counts all of them after %i hours', async (hours) => {
      const nowMs = fromMs + hours * HOUR_MS;
      const { episodes } = await site.within(nowMs - HOUR_MS, nowMs);
      const found = episodes.filter((episode) => natureOf(episode) === 'attacks');
      expect(found.map(({ onsetMs, endMs }) => [onsetMs, endMs])).toEqual([[fromMs, null]]);
      const { untilMs = 0, total = 0, expected = 0 } = found[0]?.figures ?? {};
      const minutes = (untilMs - fromMs) / MINUTE_MS;
      expect(total).toBe(attacks * minutes);
      expect(Math.abs((expected ?? 0) / (40 * minutes) - 1)).toBeLessThan(0.03);
    });
  });
});

describe('a category', () => {
  const webshell = { fromMs: at('04:15'), toMs: at('04:45'), turnsInto: 'webshell' };
  it('that takes over at an unchanged total is found by its own history', async () => {
    const { episodes } = await recordedSite([webshell]).within(at('00:00'), at('09:00'));
    expect(episodes.map((episode) => [episode.mix, clock(episode.onsetMs), clock(episode.endMs)])).toEqual([
      ['webshell', '04:15', '04:45'],
    ]);
  });

  it('is named as soon as its numbers are enough, and alerts five minutes later', async () => {
    const site = recordedSite([webshell]);
    const seenAt = async (now: string) =>
      (await site.within(at('03:30'), at(now))).episodes.map(({ mix, steps }) => [
        mix,
        ...new Set(
          steps.map(({ atMs, strength }) => `${clock(atMs)} ${strength < BARS.sensitive ? 'named' : 'alerts'}`),
        ),
      ]);
    expect(await seenAt('04:22')).toEqual([]);
    expect(await seenAt('04:24')).toEqual([['webshell', '04:20 named']]);
    expect(await seenAt('04:29')).toEqual([['webshell', '04:20 named', '04:25 alerts']]);
  });

  it('is no part of a rise that alerts nobody', async () => {
    // A site with bursts every day, of other lengths and heights each time.
    const bursts = Array.from({ length: 476 }, (_, index): Happening => {
      const fromMs = at('00:00', Math.floor(index / 14) - 34) + ((index * 397) % 1_400) * MINUTE_MS;
      const minutes = 10 + ((index * 7) % 40);
      return {
        fromMs,
        toMs: fromMs + minutes * MINUTE_MS,
        more: { cc: Math.round(-Math.log(((index % 97) + 1) / 98) * 6) },
      };
    });
    const scan = { fromMs: at('04:10'), toMs: at('04:30'), more: { webshell: 20 } };
    const { episodes } = await recordedSite([...bursts, scan]).within(at('03:00'), at('09:00'));
    const [rise, mix] = [
      episodes.find((each) => each.mix === undefined),
      episodes.find((each) => each.mix !== undefined),
    ];
    expect(rise?.strength).toBeLessThan(BARS.normal);
    expect([mix?.mix, clock(mix?.onsetMs ?? null)]).toEqual(['webshell', '04:10']);
    expect(mix?.strength).toBeGreaterThan(BARS.normal);
  });

  it('that people were alerted to before most of it came in a rise stays', async () => {
    const site = recordedSite([
      { fromMs: at('04:00', -9), toMs: at('04:10', -9), more: { webshell: 2 } },
      { fromMs: at('04:00'), toMs: at('05:00'), more: { webshell: 2 } },
      { fromMs: at('04:14'), toMs: at('05:00'), more: { cc: 40 } },
    ]);
    for (const now of ['04:29', '04:55', '09:00']) {
      const { episodes } = await site.within(at('03:30'), at(now));
      const found = episodes.map(({ mix, onsetMs }) => [mix ?? 'a rise', clock(onsetMs)]);
      expect(found, now).toEqual([
        ['webshell', '04:00'],
        ['a rise', '04:14'],
      ]);
    }
  });

  it('that comes now and then begins with the first of the events that are enough, and counts them all', async () => {
    const shells = Array.from({ length: 10 }, (_, index) => ({
      fromMs: at('00:17') + index * 63 * MINUTE_MS,
      toMs: at('00:18') + index * 63 * MINUTE_MS,
      more: { webshell: 1 },
    }));
    for (const now of ['10:00', '11:30', '18:00']) {
      const { episodes } = await recordedSite(shells).within(at('00:00'), at('12:00'), at(now));
      expect(episodes.map(({ mix, onsetMs, figures }) => [mix, clock(onsetMs), figures.total])).toEqual([
        ['webshell', '00:15', 10],
      ]);
    }
    const stray = { ...surge('00:17', '00:18', { webshell: 1 }) };
    const burst = await recordedSite([stray, surge('09:00', '09:30', { webshell: 4 })]).within(
      at('00:00'),
      at('11:00'),
    );
    expect(burst.episodes.map(({ onsetMs, figures }) => [clock(onsetMs), figures.total])).toContainEqual([
      '09:00',
      120,
    ]);
  });

  it('that takes over on a young site is held against what the site had, not against four weeks', async () => {
    const site = recordedSite([{ fromMs: at('04:10'), toMs: at('05:00'), turnsInto: 'xss' }], {
      level: 40,
      bornMs: at('00:00', -9),
    });
    const [takeover] = (await site.within(at('03:00'), at('06:00'))).episodes;
    expect([takeover?.mix, clock(takeover?.onsetMs ?? 0)]).toEqual(['xss', '04:10']);
    expect((takeover?.figures.expected ?? 0) / (0.15 * 40 * 50)).toBeCloseTo(1, 1);
  });

  it('that had one busier day is half as rare, and with two it is usual', async () => {
    const more = { webshell: 8 };
    const few = { fromMs: at('04:15'), toMs: at('04:25'), more };
    const busier = (day: number) => ({ fromMs: at('04:00', day), toMs: at('06:00', day), more });
    const found = async (happenings: readonly Happening[]) =>
      (await recordedSite(happenings).within(at('00:00'), at('09:00'))).episodes.map(({ mix, strength }) => [
        mix,
        strength.toFixed(2),
      ]);
    const hours = 28 * 24;
    expect(await found([few])).toEqual([['webshell', Math.log10(hours).toFixed(2)]]);
    expect(await found([few, busier(-9)])).toEqual([['webshell', Math.log10(hours / 2).toFixed(2)]]);
    expect(await found([few, busier(-9), busier(-5)])).toEqual([]);
  });

  it('with pauses alerts when there is more of it than a tenth of an hour', async () => {
    const hour = (from: string, day = 0) => ({
      fromMs: at(from, day),
      toMs: at(from, day) + HOUR_MS,
      more: { webshell: 10 },
    });
    const site = recordedSite([hour('04:00', -9), hour('02:00'), hour('04:00')], { level: 100 });
    const { episodes } = await site.within(at('00:00'), at('09:00'));
    expect(episodes.map(({ onsetMs, strength }) => [clock(onsetMs), strength >= BARS.normal])).toEqual([
      ['02:00', false],
      ['04:00', true],
    ]);
  });

  it('that has gone on since yesterday is no new one, and neither is one on a new site', async () => {
    const day = (days: number, perMinute: number) => ({
      fromMs: at('00:00', days),
      toMs: at('24:00', days),
      more: { webshell: perMinute },
    });
    const found = async (happenings: readonly Happening[], options = {}) =>
      (await recordedSite(happenings, options).within(at('00:00'), at('11:50'))).episodes.map(({ mix }) => mix);
    expect(await found([day(-1, 0.5), day(0, 0.5)])).toEqual([]);
    expect(await found([day(-9, 0.5), day(0, 0.5)])).toEqual(['webshell']);
    expect(await found([day(-4, 0.5), day(0, 0.5)], { bornMs: at('00:00', -5) })).toEqual([]);
  });

  it('on a new site is as rare as its few days can show', async () => {
    const webshells = { fromMs: at('03:00'), toMs: at('04:00'), more: { webshell: 3 } };
    const site = recordedSite([webshells], { bornMs: at('00:00', -5) });
    const { episodes } = await site.within(at('00:00'), at('09:00'));
    expect(episodes.map(({ mix, strength }) => [mix, strength.toFixed(2)])).toEqual([
      ['webshell', Math.log10(5 * 24).toFixed(2)],
    ]);
  });

  it.each([
    ['05:05', '04:50'],
    ['04:35', 'never'],
  ])('that takes over weakly from 04:05 to %s alerts at normal: %s', async (to, alertsAt) => {
    const takeover = { fromMs: at('04:05'), toMs: at(to), attacks: 0.85, more: { xss: 11 } };
    const { episodes } = await recordedSite([takeover], { level: 20 }).within(at('00:00'), at('11:00'));
    const [first] = episodes.flatMap(({ steps }) => steps.filter(({ strength }) => strength >= BARS.normal));
    expect(episodes.map(({ mix, onsetMs }) => [mix, clock(onsetMs)])).toEqual([['xss', '04:05']]);
    expect(first === undefined ? 'never' : clock(first.atMs)).toBe(alertsAt);
  });

  it('that is known takes over while the others fall, and not when it comes on top of them', async () => {
    const found = async (happening: Happening) =>
      (await recordedSite([happening]).within(at('00:00'), at('09:00'))).episodes.map(
        ({ mix, onsetMs, endMs, figures }) => [mix, clock(onsetMs), clock(endMs), (figures.expected ?? 0) > 50],
      );
    const times = { fromMs: at('04:10'), toMs: at('05:05') };
    expect(await found({ ...times, turnsInto: 'xss' })).toEqual([['xss', '04:10', '05:00', true]]);
    expect(await found({ ...times, more: { xss: 4 } })).toEqual([]);
  });

  const ALL_FEW = { fromMs: at('00:00'), toMs: at('24:00'), attacks: 0.4 };

  it('takes over from nobody while all are few, however long its burst is', async () => {
    const burst = { fromMs: at('05:10'), toMs: at('06:40'), more: { xss: 22 } };
    const { episodes } = await recordedSite([ALL_FEW, burst], { level: 40 }).within(at('04:00'), at('11:50'));
    expect(episodes).toEqual([]);
  });

  it('that is most of a weekly scan takes over from nobody when others come back to what they were', async () => {
    const scan = (week: number): Happening => ({
      fromMs: at('03:00', -7 * week),
      toMs: at('05:00', -7 * week),
      more: { sqli: 40 },
    });
    const busier = { fromMs: at('00:00', -5), toMs: at('23:00', 1), attacks: 1.6 };
    const { episodes } = await recordedSite([busier, scan(0), scan(1), scan(3)]).within(at('00:00'), at('09:00'));
    expect(episodes).toEqual([]);
  });

  describe('that is usual at that hour, although it is rare on the whole,', () => {
    const busyOn = (days: readonly number[]) =>
      days.map((day) => ({ fromMs: at('08:00', day), toMs: at('18:00', day), more: { cc: 80 } }));
    const month = Array.from({ length: 34 }, (_, back) => -back);
    const takeover = (day = 0) => ({ fromMs: at('03:00', day), toMs: at('03:40', day), turnsInto: 'xss' });
    const mixesOn = async (happenings: readonly Happening[], day = 0) => {
      const { episodes } = await recordedSite(happenings).within(at('00:00', day), at('11:50', day));
      return episodes.flatMap(({ mix, onsetMs }) => (mix === undefined ? [] : [`${mix} ${clock(onsetMs)}`]));
    };

    it('takes over from nobody by night, and a real takeover is seen', async () => {
      expect(await mixesOn(busyOn(month))).toEqual([]);
      expect(await mixesOn([...busyOn(month), takeover()])).toEqual(['xss 03:00']);
    });

    it('takes over from nobody on a Saturday', async () => {
      const isWorkday = (day: number): boolean => new Date(at('12:00', day)).getUTCDay() % 6 !== 0;
      expect(await mixesOn(busyOn(month.filter(isWorkday)), -4)).toEqual([]);
    });

    it('takes over from nobody on a holiday, on which all are fewer than usual', async () => {
      const holiday = { fromMs: at('00:00'), toMs: at('11:50'), attacks: 0.4 };
      const burst = { fromMs: at('05:10'), toMs: at('05:40'), more: { xss: 22 } };
      const found = async (...happenings: readonly Happening[]) =>
        (await recordedSite(happenings, { level: 40 }).within(at('04:00'), at('11:50'))).episodes;
      expect(await found(holiday, burst)).toEqual([]);
      expect((await found({ ...holiday, fromMs: burst.fromMs }, burst)).map(({ mix }) => mix)).toEqual(['xss']);
    });

    it('takes over from nobody after a flood at that hour on the day before', async () => {
      const flood = { fromMs: at('02:00', -1), toMs: at('04:00', -1), more: { cc: 200 } };
      expect(await mixesOn([...busyOn(month), flood])).toEqual([]);
    });

    it('is not what took over on the day before as well', async () => {
      expect(await mixesOn([takeover(-1), takeover()])).toEqual(['xss 03:00']);
    });
  });

  describe('that took over and was told', () => {
    const flood = { fromMs: at('04:00'), toMs: at('05:00'), more: { cc: 45 } };
    it.each<[string, Happening[], boolean?]>([
      ['early in its part', [{ fromMs: at('00:15'), toMs: at('00:55'), turnsInto: 'sqli' }]],
      ['too shortly to be told', [{ fromMs: at('00:15'), toMs: at('00:24'), turnsInto: 'sqli' }], false],
      ['before a flood', [{ fromMs: at('01:00'), toMs: at('01:40'), turnsInto: 'xss' }, flood]],
      [
        'before a flood in the same hour',
        [
          { fromMs: at('01:00'), toMs: at('01:25'), turnsInto: 'xss' },
          { fromMs: at('01:30'), toMs: at('01:55'), more: { cc: 45 } },
        ],
      ],
      [
        'after a scan at that hour on the day before',
        [
          { fromMs: at('03:25', -1), toMs: at('04:00', -1), more: { xss: 15 } },
          { fromMs: at('03:00'), toMs: at('03:25'), turnsInto: 'xss' },
        ],
      ],
      ['across an hour', [{ fromMs: at('03:40'), toMs: at('04:25'), turnsInto: 'xss' }]],
      ['that was never seen', [{ fromMs: at('02:20'), toMs: at('03:10'), turnsInto: 'webshell' }]],
    ])('%s, begins at the same time whenever it is looked at', async (_, happenings, isTold = true) => {
      const site = recordedSite(happenings);
      const seen = new Map<string, string | null>();
      for (let ms = at('00:30'); ms <= at('11:30'); ms += 20 * MINUTE_MS) {
        const { episodes } = await site.within(at('00:00'), ms);
        for (const { mix, id, steps } of episodes) {
          if (mix !== undefined && steps.some(({ atMs }) => atMs <= ms)) seen.set(id, clock(ms));
        }
      }
      const afterwards = (await site.within(at('00:00'), at('20:00'))).episodes.filter(({ mix }) => mix !== undefined);
      expect([...seen.keys()]).toEqual(afterwards.map(({ id }) => id));
      expect([...seen.values()]).toEqual(isTold ? ['11:30'] : []);
    });

    it('for good, is usual after a day', async () => {
      const site = recordedSite([{ fromMs: at('03:00', -1), toMs: at('20:00'), turnsInto: 'xss' }]);
      const mixes = async (from: number, to: number) =>
        (await site.within(from, to)).episodes.map(({ mix, onsetMs }) => [mix, clock(onsetMs)]);
      expect(await mixes(at('00:00', -1), at('12:00', -1))).toEqual([['xss', '03:00']]);
      expect(await mixes(at('01:00'), at('12:00'))).toEqual([['xss', '03:00']]);
      expect(await mixes(at('03:10'), at('12:00'))).toEqual([]);
    });
  });

  describe('that goes on and on', () => {
    const webshells = (from: number, to: number, everyMinutes: number): Happening[] =>
      Array.from({ length: (to - from) / (everyMinutes * MINUTE_MS) }, (_, index) => {
        const fromMs = from + index * everyMinutes * MINUTE_MS;
        return { fromMs, toMs: fromMs + MINUTE_MS, more: { webshell: 1 } };
      });
    const told = async (site: ReturnType<typeof recordedSite>, now: number) =>
      (await site.within(now - HOUR_MS, now)).episodes.map(({ mix, onsetMs, endMs }) => [
        mix,
        clock(onsetMs),
        clock(endMs),
      ]);

    it('is followed into the next half day, for as long as it lasts', async () => {
      const site = recordedSite(webshells(at('20:00', -1), at('09:32'), 5));
      for (const now of ['00:30', '03:00', '05:00', '09:30']) {
        expect([now, await told(site, at(now))]).toEqual([now, [['webshell', '20:00', null]]]);
      }
      expect(await told(site, at('10:20'))).toEqual([['webshell', '20:00', '09:30']]);
      expect(await told(site, at('11:40'))).toEqual([]);
    });

    it('and is usual after a day, which is no end', async () => {
      const site = recordedSite(webshells(at('20:00', -1), at('24:00'), 5));
      const [episode] = (await site.within(at('19:00'), at('23:00'))).episodes;
      expect([clock(episode?.onsetMs ?? 0), clock(episode?.endMs ?? 0)]).toEqual(['20:00', '20:00']);
      expect(episode !== undefined && hasBecomeUsual(episode)).toBe(true);
      expect(await told(site, at('22:00'))).toEqual([]);
    });

    it('may be slow: one in forty minutes pauses for no longer than six of its events take', async () => {
      const site = recordedSite(webshells(at('00:10'), at('10:20'), 40));
      expect(await told(site, at('10:20'))).toEqual([['webshell', '00:10', null]]);
    });

    it('goes on through a longer pause where its events come irregularly', async () => {
      const gaps = [5, 30, 10, 45, 5, 20, 40, 10, 5, 35, 15, 25, 90, 10, 20];
      const minutes = gaps.map((_, index) => gaps.slice(0, index).reduce((sum, gap) => sum + gap, 10));
      const site = recordedSite(
        minutes.map((minute) => ({
          fromMs: at('00:00') + minute * MINUTE_MS,
          toMs: at('00:01') + minute * MINUTE_MS,
          more: { webshell: 1 },
        })),
      );
      expect(await told(site, at('06:00'))).toEqual([['webshell', '00:10', null]]);
    });
  });

  it('begins with its burst, not with a single event hours before', async () => {
    const single = { fromMs: at('00:20'), toMs: at('00:21'), more: { webshell: 1 } };
    const burst = { fromMs: at('06:00'), toMs: at('06:10'), more: { webshell: 1 } };
    const { episodes } = await recordedSite([single, burst], { level: 20 }).within(at('00:00'), at('08:00'));
    expect(episodes.map(({ mix, onsetMs, endMs }) => [mix, clock(onsetMs), clock(endMs)])).toEqual([
      ['webshell', '06:00', '06:10'],
    ]);
  });

  it('that has only grown with all others in a long rise is a part of it', async () => {
    const rise = { fromMs: at('02:00'), toMs: at('11:00'), attacks: 20 };
    const few = Array.from({ length: 28 }, (_, back) => ({
      fromMs: at('07:00', back - 28),
      toMs: at('07:03', back - 28),
      more: { webshell: 4 },
    }));
    const among = { fromMs: at('04:00'), toMs: at('06:00'), more: { webshell: 0.2 } };
    const found = async (...happenings: Happening[]) =>
      (await recordedSite([...few, ...happenings], { level: 1 }).within(at('00:00'), at('11:50'))).episodes.map(
        ({ mix = 'rise', onsetMs }) => [mix, clock(onsetMs)],
      );
    expect(await found(rise, among)).toEqual([['rise', '02:00']]);
  });

  describe('across noon or midnight', () => {
    const told = async (site: ReturnType<typeof recordedSite>, fromMs: number, toMs: number, nowMs = toMs) =>
      (await site.within(fromMs, toMs, nowMs)).episodes.map(({ mix, onsetMs, endMs, figures }) => [
        mix,
        clock(onsetMs),
        clock(endMs),
        endMs === null || figures.total === site.count(onsetMs, endMs, mix),
        Math.sign(Math.round(figures.expected ?? 0)),
      ]);

    it.each([
      ['a new one', 'webshell', '11:20', '12:50', 0],
      ['a new one, shortly', 'webshell', '11:45', '12:10', 0],
      ['a known one', 'xss', '11:20', '12:50', 0],
      ['a new one at midnight', 'webshell', '23:10', '24:50', -1],
      ['a known one at midnight', 'xss', '23:10', '24:50', -1],
      ['a known one for hours', 'xss', '09:10', '16:00', 0],
    ])('%s is one, whoever asks about which part', async (_, turnsInto, from, to, day) => {
      const [fromMs, toMs] = [at(from, day), at(to, day)];
      const site = recordedSite([{ fromMs, toMs, turnsInto }]);
      const known = turnsInto === 'xss' ? 1 : 0;
      const edgeMs = Math.ceil((fromMs + 1) / (12 * HOUR_MS)) * 12 * HOUR_MS;
      const ongoing = [[turnsInto, clock(fromMs), null, true, known]];
      for (const nowMs of [
        edgeMs - 2 * MINUTE_MS,
        edgeMs + 2 * MINUTE_MS,
        edgeMs + 20 * MINUTE_MS,
        toMs + 5 * MINUTE_MS,
      ]) {
        expect(await told(site, nowMs - 10 * MINUTE_MS, nowMs)).toEqual(ongoing);
      }
      const over = [[turnsInto, clock(fromMs), clock(toMs), true, known]];
      for (const nowMs of [toMs + 40 * MINUTE_MS, toMs + 20 * HOUR_MS]) {
        expect(await told(site, fromMs, fromMs + 10 * MINUTE_MS, nowMs)).toEqual(over);
        expect(await told(site, edgeMs, toMs, nowMs)).toEqual(over);
        expect(await told(site, fromMs, toMs, nowMs)).toEqual(over);
        expect(await told(site, toMs + MINUTE_MS, toMs + 20 * MINUTE_MS, nowMs)).toEqual([]);
      }
    });

    it.each([
      ['webshell', '11:40', '12:05'],
      ['xss', '11:45', '12:10'],
    ])('a short pause does not make two of it: %s until %s and from %s', async (turnsInto, pause, again) => {
      const site = recordedSite([
        { fromMs: at('11:10'), toMs: at(pause), turnsInto },
        { fromMs: at(again), toMs: at('12:50'), turnsInto },
      ]);
      for (const now of ['12:20', '13:15']) {
        expect((await told(site, at(now) - 20 * MINUTE_MS, at(now))).map((each) => each.slice(1, 3))).toEqual([
          ['11:10', null],
        ]);
      }
      expect((await told(site, at('12:10'), at('13:00'), at('30:00'))).map((each) => each.slice(1, 3))).toEqual([
        ['11:10', '12:50'],
      ]);
    });

    it('one that grows after noon is still the same', async () => {
      const webshells = (from: string, to: string, webshell: number) => ({
        fromMs: at(from),
        toMs: at(to),
        more: { webshell },
      });
      const site = recordedSite(
        [webshells('08:00', '12:00', 4), webshells('12:00', '12:40', 2), webshells('12:40', '16:00', 15)],
        { level: 60 },
      );
      for (const window of [
        ['07:00', '17:00'],
        ['13:00', '14:00'],
      ] as const) {
        const [from, to] = window.map((each) => at(each)) as [number, number];
        expect((await told(site, from, to, at('20:00'))).map((each) => each.slice(1, 3))).toEqual([['08:00', '16:00']]);
      }
    });

    it('it is over when nothing more is known of it for hours', async () => {
      const site = recordedSite([
        { fromMs: at('11:20'), toMs: at('11:55'), turnsInto: 'webshell' },
        { fromMs: at('12:00'), toMs: at('30:00'), instead: { requests: null, attacks: null } },
      ]);
      expect((await told(site, at('11:00'), at('12:00'), at('40:00'))).map(([, , end]) => end)).toEqual(['11:55']);
    });

    it('it is over when the service has lost its numbers until hours after it', async () => {
      const site = recordedSite([
        { fromMs: at('11:20'), toMs: at('11:50'), turnsInto: 'webshell' },
        { fromMs: at('11:50'), toMs: at('16:30'), instead: { requests: null, attacks: null } },
      ]);
      const ends = async (now: string) => (await told(site, at('11:00'), at('12:00'), at(now))).map(([, , end]) => end);
      expect(await ends('15:00')).toEqual([null]);
      expect(await ends('17:00')).toEqual(['11:50']);
    });

    it('one that ends a little earlier is over half an hour later', async () => {
      const site = recordedSite([{ fromMs: at('11:20'), toMs: at('11:50'), turnsInto: 'webshell' }]);
      const ended = async (now: string) =>
        (await told(site, at('11:30'), at('11:55'), at(now))).map(([, , end]) => end);
      expect(await ended('12:10')).toEqual([null]);
      expect(await ended('12:30')).toEqual(['11:50']);
      expect(await ended('20:00')).toEqual(['11:50']);
    });
  });

  it('that is unusual twice in half a day is found twice, whichever is stronger', async () => {
    const again = { fromMs: at('07:52'), toMs: at('08:40'), turnsInto: 'webshell' };
    const site = recordedSite([webshell, again]);
    const found = async (now: string) =>
      (await site.within(at('00:00'), at(now))).episodes.map((episode) => [
        clock(episode.onsetMs),
        episode.endMs === null ? null : clock(episode.endMs),
      ]);
    expect(await found('06:00')).toEqual([['04:15', '04:45']]);
    // The part of the first hour is the smaller one, and still when it began.
    expect(await found('08:20')).toEqual([
      ['04:15', '04:45'],
      ['07:50', null],
    ]);
    expect(await found('11:00')).toEqual([
      ['04:15', '04:45'],
      ['07:50', '08:40'],
    ]);
  });

  it('that goes on long after a short rise is no part of it', async () => {
    const long = { fromMs: at('03:00'), toMs: at('04:00'), turnsInto: 'webshell' };
    const { episodes } = await recordedSite([surge('02:58', '03:03', { webshell: 60 }), long]).within(
      at('00:00'),
      at('09:00'),
    );
    expect(episodes.map((episode) => episode.mix ?? natureOf(episode)).toSorted()).toEqual(['rise', 'webshell']);
  });

  it('that is hardly busier than on earlier days is usual', async () => {
    const before = [-9, -5].map((day) => ({
      fromMs: at('04:00', day),
      toMs: at('04:30', day),
      more: { webshell: 1 },
    }));
    const found = async (perMinute: number) => {
      const now = { fromMs: at('04:00'), toMs: at('04:30'), more: { webshell: perMinute } };
      return (await recordedSite([...before, now]).within(at('00:00'), at('09:00'))).episodes.map(({ mix }) => mix);
    };
    expect(await found(1.3)).toEqual([]);
    expect(await found(2)).toEqual(['webshell']);
  });

  it.each([
    ['', [surge('10:40', '13:00', { webshell: 40 })]],
    [
      ', and after a pause at noon',
      [surge('10:40', '12:00', { webshell: 40 }), surge('12:00', '12:06'), surge('12:06', '13:00', { webshell: 40 })],
    ],
  ])('that makes a rise is a part of it after noon, too%s', async (_, happenings) => {
    const { episodes } = await recordedSite(happenings).within(at('09:00'), at('15:00'));
    expect(episodes.map((episode) => [natureOf(episode), clock(episode.onsetMs)])).toEqual([['rise', '10:40']]);
  });

  it.each(['11:10', '12:10', '13:10'])(
    'that begins at %s is no part of a rise that began hours before',
    async (from) => {
      const webshells = { fromMs: at(from), toMs: at(from) + 20 * MINUTE_MS, more: { webshell: 3 } };
      const site = recordedSite([surge('09:30', '14:30', { cc: 60 }), webshells]);
      const { episodes } = await site.within(at('00:00'), at('20:00'));
      expect(episodes.map(({ mix }) => mix)).toContain('webshell');
    },
  );

  it('that began with a rise is a part of it; one that comes later is an episode of its own', async () => {
    const rise = surge('02:37', '05:30', { lfi: 60 });
    const together = await recordedSite([rise]).within(at('00:00'), at('09:00'));
    expect(together.episodes.map((episode) => natureOf(episode))).toEqual(['rise']);
    const later = { fromMs: at('04:10'), toMs: at('05:00'), more: { webshell: 5 } };
    const both = await recordedSite([rise, later]).within(at('00:00'), at('09:00'));
    expect(both.episodes.map((episode) => [natureOf(episode), episode.leading[0]])).toEqual([
      ['rise', 'lfi'],
      ['mix', 'webshell'],
    ]);
  });
});

describe('what is unknown', () => {
  it('neither ends a rise nor counts as calm', async () => {
    const site = recordedSite([
      surge('02:37', '03:30'),
      { fromMs: at('03:10'), toMs: at('04:00'), instead: { requests: null, attacks: null } },
    ]);
    const { episodes, untilMs } = await site.within(at('02:00'), at('03:45'));
    expect(clock(untilMs)).toBe('03:10');
    expect(episodes.map(({ onsetMs, endMs }) => [clock(onsetMs), endMs])).toEqual([['02:37', null]]);
  });

  it('is everything where the service has no numbers before', async () => {
    const site = recordedSite([], { bornMs: at('08:45') });
    const list = await site.within(at('08:45'), at('09:00'));
    expect(list).toMatchObject({ judged: false, episodes: [] });
  });
});

it('finds the same in intervals of five minutes', async () => {
  const site = recordedSite([surge('02:35', '03:05')], { intervalMs: 5 * MINUTE_MS });
  const { episodes } = await site.within(at('00:00'), at('09:00'));
  expect(episodes.map(({ onsetMs, endMs }) => [clock(onsetMs), clock(endMs)])).toEqual([['02:35', '03:05']]);
});

describe('a category that was there before', () => {
  const few = (from: string, days: number) => ({
    fromMs: at(from, days),
    toMs: at(from, days) + 2 * MINUTE_MS,
    more: { webshell: 1 },
  });

  it.each([
    ['the evening before', '20:00', -1],
    ['earlier this week', '09:00', -3],
    ['three weeks ago', '09:00', -21],
  ])('%s is not new in a rise', async (_, clockThen, days) => {
    const site = recordedSite([surge('14:00', '14:40', { webshell: 40 }), few(clockThen, days)]);
    const [rise] = (await site.within(at('12:00'), at('18:00'))).episodes;
    const webshell = rise?.figures.categories.find(({ category }) => category === 'webshell');
    expect(webshell?.expected).toBeGreaterThan(0);
  });

  it.each([
    ['that morning', '09:00', 0],
    ['earlier this week', '09:00', -3],
    ['three weeks ago', '09:00', -21],
  ])('%s is not new when it is unusual', async (_, clockThen, days) => {
    const takesOver = { fromMs: at('14:15'), toMs: at('14:45'), turnsInto: 'webshell' };
    const { episodes } = await recordedSite([takesOver, few(clockThen, days)]).within(at('12:00'), at('18:00'));
    expect(episodes.find(({ mix }) => mix === 'webshell')?.figures.expected).toBeGreaterThan(0);
  });
});
