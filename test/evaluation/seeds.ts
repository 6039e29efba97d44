/** Bars were chosen on the tuning seeds alone; what is reported comes from others. */
export const TUNING_SEEDS: readonly number[] = [1, 2, 3, 4];
export const REPORTING_SEEDS: readonly number[] = [914, 915, 916, 917, 918, 919, 920, 921];
