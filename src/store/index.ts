/** The face of the room. */

export { type CopyReport, copyStore } from './copy-store.ts';
export type { DueTime, Job, JobEngine, NewJob, Run, RunContext, RunOutcome, Timetable } from './engine/engine.ts';
export { type EngineDeps, openEngine } from './engine/open.ts';
export { isRedisUrl, openStore } from './open.ts';
export { createSharedAnswers, type SharedAnswers, type SharedAnswersDeps } from './shared-answers.ts';
export type { Claims, Store, StoreDeps, StoreLog } from './store.ts';
