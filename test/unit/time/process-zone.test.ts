import { expect, test } from 'vitest';

/** Without this the other tests would say nothing about the process zone. */
test('the process really is in the zone the project names', () => {
  const zone = process.env.EXPECTED_PROCESS_ZONE;
  expect(zone).toBeTruthy();
  expect(Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(zone);
  const winter = Temporal.Instant.from('2025-01-15T12:00:00Z').toZonedDateTimeISO(zone ?? '');
  expect(new Date('2025-01-15T12:00:00Z').getTimezoneOffset()).toBe(0 - winter.offsetNanoseconds / 60e9);
});
