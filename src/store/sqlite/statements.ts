/** Statements on an open database, whose failures are the error that a person may see. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BotError } from '../../errors.ts';
import { sqliteCode } from './database.ts';

const READ_ONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

const OPERATOR = 'Whoever runs the bot finds the reason in the log.';

type Statement = Pick<StatementSync, 'run' | 'get' | 'all'>;

export interface Statements {
  prepare(sql: string): Statement;
  exec(sql: string): void;
}

export function createStatements(db: DatabaseSync): Statements {
  return {
    prepare(sql) {
      const statement = db.prepare(sql);
      // Bound first: the types of the parameters stay those of SQLite.
      return {
        run: translating(statement.run.bind(statement)),
        get: translating(statement.get.bind(statement)),
        all: translating(statement.all.bind(statement)),
      };
    },
    exec: translating(db.exec.bind(db)),
  };
}

function translating<F extends (...args: never[]) => unknown>(call: F): F {
  const translated = (...args: Parameters<F>): unknown => {
    try {
      return call(...args);
    } catch (error) {
      throw asStorageError(error);
    }
  };
  return translated as F;
}

/** Anything else, such as a statement after the end, is a bug and stays what it is. */
function asStorageError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const [message, hint] = sentenceFor(code);
  return new BotError('storage', message, { hint, detail: { storage: 'sqlite', sqliteCode: code }, cause: error });
}

function sentenceFor(code: number): readonly [message: string, hint: string] {
  switch (code) {
    case FULL:
      return [
        'The disk of the storage is full, so nothing can be saved.',
        'Try again once whoever runs the bot has made room.',
      ];
    case READ_ONLY:
      return ['The storage can only be read, so nothing can be saved.', OPERATOR];
    case CORRUPT:
    case NOT_A_DATABASE:
      return ['The storage is damaged.', 'Whoever runs the bot should put a backup in its place.'];
    default:
      return ['The storage does not work right now.', `Try again in a moment. ${OPERATOR}`];
  }
}
