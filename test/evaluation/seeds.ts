/** Bars were chosen on the tuning seeds alone; what is reported comes from others. */
export const TUNING_SEEDS: readonly number[] = [1, 2, 3, 4];
export const REPORTING_SEEDS: readonly number[] = [922, 923, 924, 925, 926, 927, 928, 929];
