/** Every breakdown that must look right. */
import { type BreakdownChart, breakdownChart } from '../../src/charts/spec/index.ts';
import { categories } from './data.ts';

const ALL = {
  xss: 120,
  sqli: 3_412,
  cmdi: 41,
  cc: 12_040,
  custom: 912,
  illegal: 77,
  lfi: 8,
  robot: 2_310,
  antitamper: 3,
  rfi: 1,
  vuln: 640,
  whiteblackip: 333,
  webshell: 2,
  custom_geoip: 88,
};

const BEFORE = { ...ALL, sqli: 410, cc: 13_900, robot: 2_200, custom_geoip: 0, custom: 0, vuln: 1_800 };

export function breakdowns(): Readonly<Record<string, BreakdownChart>> {
  return {
    'all thirteen and an unknown one': breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Attacks by category · shop, api',
      distribution: categories(ALL),
    }),
    'all, compared': breakdownChart({
      zone: 'Europe/Berlin',
      hosts: [{ name: 'shop' }, { name: 'api' }],
      title: 'SQL injection ×8.3 · 19,987 attacks in all',
      distribution: categories(ALL),
      previous: categories(BEFORE),
      previousName: 'the day before',
    }),
    'a usual day': breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Attacks by category · all hosts',
      distribution: categories({ sqli: 212, robot: 1_480, xss: 61, illegal: 19, whiteblackip: 5 }),
      previous: categories({ sqli: 180, robot: 1_900, xss: 75, illegal: 11, lfi: 30 }),
    }),
    'one category': breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Attacks by category · shop',
      distribution: categories({ cc: 1_240_000 }),
    }),
    'one event': breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Attacks by category · shop',
      distribution: categories({ rfi: 1 }),
    }),
    'an odd unknown name': breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Attacks by category · магазин, Łódź',
      distribution: categories({ sqli: 40, a_category_with_a_very_long_name_indeed: 70 }),
    }),
    'no events': breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Attacks by category · shop',
      distribution: categories({}),
    }),
    gone: breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Attacks by category · shop',
      distribution: categories({}),
      previous: categories({ sqli: 40, xss: 12 }),
    }),
  };
}
