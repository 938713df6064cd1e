/** A month has to be there for the numbers of this month; ten years are as good as for ever. */
export const RETENTION_DAYS_MIN = 31;
export const RETENTION_DAYS_MAX = 3_650;
