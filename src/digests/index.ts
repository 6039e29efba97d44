/** The face of the room: what app.ts joins to the rest. */
export { BOOKINGS_PER_CHANNEL, type Book, type NewBooking } from './book.ts';
export type { Booking, BookingKind, BookingPointer, BookingState } from './booking.ts';
export type { Delivered, Delivery, Occasion } from './delivery/deliver.ts';
export { createLocalLeases, underLease } from './delivery/lease.ts';
export type { Outcome, RunEntry } from './delivery/ledger.ts';
export { createPace, type Pace } from './delivery/pace.ts';
export { type DeliveryPolicy, defaultPolicy } from './delivery/policy.ts';
export type { BookingView, Desk } from './desk.ts';
export { createDigests, type Digests, type DigestsDeps } from './digests.ts';
export type { FindResult, Leases, Outbox, PauseReason, Records, SendResult } from './ports.ts';
export { describeSchedule, describeTiming } from './schedule/describe.ts';
export { nextRun, nextRuns, previousRun } from './schedule/due.ts';
export { parseSchedule } from './schedule/parse.ts';
export type { Schedule } from './schedule/schedule.ts';
export { type Timing, timetable } from './timing.ts';
