/** The one logger type. Facts are structured; no secret, address or request body belongs in them. Pino satisfies it. */
type Write = (facts: object, message: string) => void;

export interface Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}
