/** What is reported comes from seeds that no bar was chosen on. */
export const TUNING_SEEDS: readonly number[] = [1, 2, 3, 4];
export const REPORTING_SEEDS: readonly number[] = [8001, 8002, 8003, 8004, 8005, 8006];
