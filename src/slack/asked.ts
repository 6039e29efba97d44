/** A question as a listener hears it: everything but the asker's zone, which is looked up for all doors in one place. */
import type { Question } from '../commands/index.ts';

export type Asked = Omit<Question, 'userZone'>;
