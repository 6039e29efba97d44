/** What is reported comes from seeds that no bar was chosen on. */
export const TUNING_SEEDS: readonly number[] = [1, 2, 3, 4];
export const REPORTING_SEEDS: readonly number[] = [2001, 2002, 2003, 2004, 2005, 2006];
