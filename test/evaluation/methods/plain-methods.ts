/**
 * Plain methods that people use, each with the parameters that its authors published, on attacks in steps of five
 * minutes. Each gives every step a score; a step at or over its bar is an alarm.
 */
import { holtWinters } from './holt-winters.ts';
import { seasonalEsd } from './seasonal-esd.ts';
import { DAY, deviation, HOUR, known, mad, mean, median, type PlainMethod, type Steps, WEEK } from './steps.ts';
import { negativeBinomialTail, poissonTail } from './tails.ts';

/** A method that looks at each step by itself. */
function byStep(name: string, bar: number, scoreAt: (steps: Steps, at: number) => number): PlainMethod {
  return {
    name,
    bar,
    scores: (steps, from) => {
      const scores: number[] = [];
      for (let at = from; at < steps.length; at++) scores.push(Number.isNaN(steps[at]) ? 0 : scoreAt(steps, at));
      return scores;
    },
  };
}

/** Nothing is said on less than an hour of history. */
const LEAST = HOUR;

/** Mean and standard deviation of the day before; three of them. */
const threeSigma = byStep('three sigma', 3, (steps, at) => {
  const before = known(steps, at - DAY, at);
  const spread = deviation(before);
  return before.length < LEAST || spread === 0 ? 0 : ((steps[at] ?? 0) - mean(before)) / spread;
});

/** Iglewicz and Hoaglin's modified z of 3.5 against the same hour of the last four weeks. */
const hourOfWeek = byStep('hour of week, median and MAD', 3.5, (steps, at) => {
  const before = [1, 2, 3, 4].flatMap((week) => known(steps, at - week * WEEK - 6, at - week * WEEK + 7));
  if (before.length < LEAST) return 0;
  const middle = median(before);
  const spread = mad(before, middle);
  // Their own substitute where more than half of the values are equal.
  const average = mean(before.map((value) => Math.abs(value - middle)));
  const scale = spread > 0 ? spread / 0.6745 : average * 1.253314;
  return scale === 0 ? 0 : ((steps[at] ?? 0) - middle) / scale;
});

/** A control chart with weight 0.2 and limits at three sigma of it (Montgomery), against the day before. */
const ewma: PlainMethod = {
  name: 'EWMA control chart',
  bar: 3,
  scores: (steps, from) => {
    const weight = 0.2;
    const scores: number[] = [];
    let level = mean(known(steps, from - DAY, from));
    for (let at = Math.max(0, from - HOUR); at < steps.length; at++) {
      const value = steps[at] ?? Number.NaN;
      if (!Number.isNaN(value)) level += weight * (value - level);
      if (at < from) continue;
      const before = known(steps, at - DAY, at);
      const spread = deviation(before) * Math.sqrt(weight / (2 - weight));
      scores.push(before.length < LEAST || spread === 0 ? 0 : (level - mean(before)) / spread);
    }
    return scores;
  },
};

/** Grafana's published rules for Prometheus, "adaptive": the highest of its bands is the limit. */
const grafana = byStep('Grafana adaptive bands', 1, (steps, at) => {
  const value = steps[at] ?? 0;
  const hour = known(steps, at - HOUR + 1, at + 1);
  const average = mean(hour);
  // Sparse series are left out: under five in an hour of minutes.
  if (value <= 0 || average / 5 < 5 / 60) return 0;
  const limits = [average * 1.5];
  const spreads: number[] = [];
  for (let end = at + 1; end > at + 1 - 26 * HOUR; end--) {
    const one = known(steps, end - HOUR, end);
    const middle = mean(one);
    const spread = one.length < 2 ? 0 : Math.sqrt(mean(one.map((each) => (each - middle) ** 2)));
    if (spread > 0.5 * middle) spreads.push(spread);
  }
  if (spreads.length > 0) limits.push(average + 2 * mean(spreads));
  for (const back of [23.5 * HOUR, 167.5 * HOUR]) {
    const then = known(steps, at + 1 - back - HOUR, at + 1 - back);
    if (then.length === 0) continue;
    limits.push(mean(then) + 2 * Math.sqrt(mean(then.map((each) => (each - mean(then)) ** 2))));
  }
  return value / Math.max(...limits);
});

/** One in a thousand by a Poisson distribution with the mean of the six hours before. */
const poisson = byStep('Poisson tail', 3, (steps, at) => {
  const before = known(steps, at - 6 * HOUR, at);
  return before.length < LEAST ? 0 : poissonTail(steps[at] ?? 0, mean(before));
});

/** Farrington's 0.005 by a negative binomial with the moments of the same hour of the last four weeks. */
const negativeBinomial = byStep('negative-binomial tail', -Math.log10(0.005), (steps, at) => {
  const weeks = [1, 2, 3, 4].flatMap((week) => known(steps, at - week * WEEK - 6, at - week * WEEK + 7));
  const before = weeks.length < LEAST ? known(steps, at - 6 * HOUR, at) : weeks;
  return before.length < LEAST ? 0 : negativeBinomialTail(steps[at] ?? 0, mean(before), deviation(before) ** 2);
});

/** A published rule of firewalls: 3.5 sigma above the mean of six hours, and more than 200 in five minutes. */
const publishedRule = byStep('3.5 sigma of 6 h and over 200', 3.5, (steps, at) => {
  const before = known(steps, at - 6 * HOUR, at);
  const spread = deviation(before);
  if (before.length < 2 || spread === 0 || (steps[at] ?? 0) <= 200) return 0;
  return ((steps[at] ?? 0) - mean(before)) / spread;
});

export const PLAIN_METHODS: readonly PlainMethod[] = [
  threeSigma,
  hourOfWeek,
  ewma,
  holtWinters,
  grafana,
  seasonalEsd,
  poisson,
  negativeBinomial,
  publishedRule,
];
