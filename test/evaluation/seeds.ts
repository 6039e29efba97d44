/** What is reported comes from seeds that no bar was chosen on. */
export const TUNING_SEEDS: readonly number[] = [1, 2, 3, 4];
export const REPORTING_SEEDS: readonly number[] = [4001, 4002, 4003, 4004, 4005, 4006];
