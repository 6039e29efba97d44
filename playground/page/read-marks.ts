/** How far each person has read each place. */
export interface ReadMarks {
  /** The `ts` up to which the person has read; '0' if nothing. */
  of(user: string, channel: string): string;
  /** Returns whether that's further than before. */
  set(user: string, channel: string, ts: string): boolean;
}

export function createReadMarks(): ReadMarks {
  const marks = new Map<string, string>();
  return {
    of: (user, channel) => marks.get(`${user}/${channel}`) ?? '0',
    set(user, channel, ts) {
      const key = `${user}/${channel}`;
      if (Number(ts) <= Number(marks.get(key) ?? '0')) return false;
      marks.set(key, ts);
      return true;
    },
  };
}
