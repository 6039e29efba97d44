/** The night that the page shows, and how to play another. */
import type { Pressed } from './drawer-port.ts';

export interface Nights {
  current(): {
    /** Different for each night that is played. */
    readonly id: string;
    readonly seed: number;
    /** When and in which zone it opened, as in an address. */
    readonly at: string;
  };
  /** Resolves when the page shows that night, or with an error to show. Without a time, it opens now. */
  play(asked: { readonly seed: string; readonly at: string }): Promise<Pressed>;
}
