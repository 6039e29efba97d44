/** What is reported comes from seeds that no bar was chosen on. */
export const TUNING_SEEDS: readonly number[] = [1, 2, 3, 4];
export const REPORTING_SEEDS: readonly number[] = [7001, 7002, 7003, 7004, 7005, 7006];
