/** Every timeline that must look right. */
import { type TimelineChart, timelineChart } from '../../src/charts/spec/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, surge, traffic } from './data.ts';

const BERLIN = 'Europe/Berlin';

/** What is usual, as a check would say it: around the rhythm of the day. */
function usual(points: readonly { endMs: number }[], perInterval: number) {
  return {
    points: points.map(({ endMs }) => {
      const rhythm = 1 + 0.25 * Math.sin(((endMs % DAY_MS) / DAY_MS) * 2 * Math.PI - 2.2);
      return { endMs, low: perInterval * rhythm * 0.4, high: perInterval * rhythm * 1.7 };
    }),
  };
}

export function timelines(): Readonly<Record<string, TimelineChart>> {
  const day = traffic({
    from: '2026-11-14T13:00:00Z',
    intervalMs: HOUR_MS,
    count: 24,
    unsettled: 1,
    change: (point, index) => {
      const more = surge(point, index, 14, 2_900, 2);
      return index === 23 ? { ...more, requests: 21_000, attacks: 120 } : more;
    },
  });
  const dayBefore = traffic({ from: '2026-11-13T13:00:00Z', intervalMs: HOUR_MS, count: 24, seed: 21 });
  const incident = traffic({
    from: '2026-11-15T01:00:00Z',
    intervalMs: 5 * MINUTE_MS,
    count: 72,
    unsettled: 1,
    change: (point, index) => surge(point, index, 40, 420, 10),
  });
  const lateIncident = traffic({
    from: '2026-11-15T01:00:00Z',
    intervalMs: 5 * MINUTE_MS,
    count: 72,
    unsettled: 2,
    change: (point, index) => surge(point, index, 64, 900, 12),
  });
  const outage = traffic({
    from: '2026-11-15T01:00:00Z',
    intervalMs: 5 * MINUTE_MS,
    count: 36,
    unsettled: 1,
    change: (point, index) => (index < 24 ? point : { ...point, requests: 2, attacks: 0 }),
  });
  const eventful = traffic({
    from: '2026-11-15T08:00:00Z',
    intervalMs: 5 * MINUTE_MS,
    count: 288,
    change: (point, index) => {
      if (index >= 48 && index < 54) return { ...point, requests: 2, attacks: 0 };
      if (index >= 22 && index < 30) return { ...point, attacks: (point.attacks ?? 0) + 45 };
      return index >= 224 && index < 230 ? { ...point, attacks: (point.attacks ?? 0) + 160 } : point;
    },
  });
  const ofEventful = (fromIndex: number, toIndex: number | null, of: 'attacks' | 'requests') => ({
    onsetMs: eventful.fromMs + fromIndex * 5 * MINUTE_MS,
    endMs: toIndex === null ? null : eventful.fromMs + toIndex * 5 * MINUTE_MS,
    of,
  });
  const fiveMinutes = traffic({ from: '2026-11-14T13:00:00Z', intervalMs: 5 * MINUTE_MS, count: 288, unsettled: 1 });
  const chart = (title: string, rest: Omit<Parameters<typeof timelineChart>[0], 'title' | 'zone' | 'hosts'>) =>
    timelineChart({ title, hosts: [{ name: 'shop' }], zone: BERLIN, ...rest });
  return {
    'day by the hour': chart('Requests and attacks · shop, api', { timeline: day }),
    'compared with the day before': chart('Requests and attacks · shop', { timeline: day, previous: dayBefore }),
    'a check that found something': chart('Surge since 05:20 · 8× usual · SQL injection', {
      timeline: incident,
      baseline: usual(incident.points, 20),
      onsetMs: Date.parse('2026-11-15T04:20:00Z'),
      endMs: Date.parse('2026-11-15T06:05:00Z'),
    }),
    'visitors gone': chart('Visitors gone since 04:00 · 24 visits, about 21,900 expected', {
      timeline: outage,
      baseline: usual(outage.points, 20),
      onsetMs: Date.parse('2026-11-15T03:00:00Z'),
      about: 'requests',
    }),
    'a digest of several episodes': chart(
      'Last 24 hours: one surge, one smaller rise, visitors gone for 30 minutes, otherwise calm',
      {
        timeline: eventful,
        marks: [ofEventful(224, 230, 'attacks'), ofEventful(48, 54, 'requests'), ofEventful(22, 30, 'attacks')],
      },
    ),
    'a digest led by an early drop': chart('Last 24 hours: visitors gone for 30 minutes, otherwise calm', {
      timeline: eventful,
      marks: [ofEventful(16, 22, 'requests'), ofEventful(282, null, 'attacks')],
    }),
    'a surge that goes on': chart('Surge · shop', {
      timeline: lateIncident,
      baseline: usual(lateIncident.points, 20),
      onsetMs: Date.parse('2026-11-15T06:20:00Z'),
    }),
    'everything at once': chart(
      'Everything · shop, api, checkout, admin, cdn, media, blog, docs and seventeen more hosts',
      {
        timeline: incident,
        previous: { ...fiveMinutes, points: fiveMinutes.points.slice(0, 72), toMs: fiveMinutes.fromMs + 6 * HOUR_MS },
        baseline: usual(incident.points, 20),
        onsetMs: Date.parse('2026-11-15T04:20:00Z'),
      },
    ),
    'day by five minutes': chart('Requests and attacks · all hosts', { timeline: fiveMinutes }),
    'day by the minute': chart('Requests and attacks · all hosts', {
      timeline: traffic({
        from: '2026-11-14T13:00:00Z',
        intervalMs: MINUTE_MS,
        count: 1440,
        change: (point, index) => (index === 1003 ? { ...point, attacks: 61 } : point),
      }),
    }),
    '10,000 points': chart('Requests and attacks · all hosts', {
      timeline: traffic({
        from: '2026-11-08T12:00:00Z',
        intervalMs: MINUTE_MS,
        count: 10_000,
        change: (point, index) => (index === 7_777 ? { ...point, attacks: 44 } : point),
      }),
    }),
    'an hour': chart('Requests and attacks · shop', {
      timeline: traffic({ from: '2026-11-15T02:10:00Z', intervalMs: MINUTE_MS, count: 60, unsettled: 3 }),
    }),
    'a week': chart('Requests and attacks · shop', {
      timeline: traffic({ from: '2026-11-08T23:00:00Z', intervalMs: HOUR_MS, count: 168 }),
    }),
    'thirty days': chart('Requests and attacks · shop', {
      timeline: traffic({ from: '2026-10-15T22:00:00Z', intervalMs: 6 * HOUR_MS, count: 120 }),
    }),
    'a year': chart('Requests and attacks · shop', {
      timeline: traffic({
        from: '2025-11-15T00:00:00Z',
        intervalMs: DAY_MS,
        count: 365,
        attacksPerHour: 90_000,
        requestsPerHour: 12e6,
      }),
    }),
    'clocks go back': chart('Requests and attacks · shop', {
      timeline: traffic({ from: '2026-10-24T22:00:00Z', intervalMs: 30 * MINUTE_MS, count: 12 }),
    }),
    'gaps and lone points': chart('Requests and attacks · shop', {
      timeline: traffic({
        from: '2026-11-14T13:00:00Z',
        intervalMs: HOUR_MS,
        count: 24,
        change: (point, index) => {
          if ((index > 4 && index < 9) || index === 10) return null;
          return index === 16 || index === 18 ? { ...point, attacks: null } : point;
        },
      }),
    }),
    'one enormous peak': chart('Requests and attacks · shop', {
      timeline: traffic({
        from: '2026-11-14T13:00:00Z',
        intervalMs: 5 * MINUTE_MS,
        count: 288,
        change: (point, index) => (index === 286 ? { ...point, attacks: 1_240_000, requests: 3_400_000 } : point),
      }),
    }),
    'peak at the left edge': chart('Requests and attacks · shop', {
      timeline: traffic({
        from: '2026-11-14T13:00:00Z',
        intervalMs: HOUR_MS,
        count: 24,
        change: (point, index) => (index === 0 ? { ...point, attacks: 5_000 } : point),
      }),
    }),
    'no attacks': chart('Requests and attacks · shop', {
      timeline: traffic({ from: '2026-11-14T13:00:00Z', intervalMs: HOUR_MS, count: 24, attacksPerHour: 0 }),
    }),
    'one point': chart('Requests and attacks · shop', {
      timeline: traffic({ from: '2026-11-15T12:00:00Z', intervalMs: HOUR_MS, count: 1 }),
    }),
    'two points, one unfinished': chart('Requests and attacks · shop', {
      timeline: traffic({ from: '2026-11-15T12:00:00Z', intervalMs: HOUR_MS, count: 2, unsettled: 1 }),
    }),
    'no data': chart('Requests and attacks · shop', {
      timeline: traffic({ from: '2026-11-14T13:00:00Z', intervalMs: HOUR_MS, count: 24, change: () => null }),
    }),
  };
}
