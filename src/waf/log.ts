/** The log as this room needs it; pino satisfies it. Fields are structured facts, never a secret, a URL or a body. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
