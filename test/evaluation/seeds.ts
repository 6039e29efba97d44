/** What is reported comes from seeds that no bar was chosen on. */
export const TUNING_SEEDS: readonly number[] = [1, 2, 3, 4];
export const REPORTING_SEEDS: readonly number[] = [1001, 1002, 1003, 1004, 1005, 1006];
