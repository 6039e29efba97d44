/**
 * From a time on the wall to moments in the world. A wall time normally happens once; when clocks go forward it may
 * not happen at all, and when they go back it happens twice.
 */

/** The moments at which the wall clock of the zone shows this, in order: one, two, or none. */
export function occurrences(wall: Temporal.PlainDateTime, zone: string): Temporal.Instant[] {
  const early = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  // A time that is skipped comes back as another one, and then it does not happen.
  if (!early.toPlainDateTime().equals(wall)) return [];
  const late = wall.toZonedDateTime(zone, { disambiguation: 'later' });
  return late.epochMilliseconds === early.epochMilliseconds
    ? [early.toInstant()]
    : [early.toInstant(), late.toInstant()];
}

/** For a wall time that is skipped: the first moment after the gap, which is the moment the clocks were moved. */
export function endOfGap(wall: Temporal.PlainDateTime, zone: string): Temporal.Instant {
  const before = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const change = before.getTimeZoneTransition('next');
  return (change ?? wall.toZonedDateTime(zone, { disambiguation: 'later' })).toInstant();
}
