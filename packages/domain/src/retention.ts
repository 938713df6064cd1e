/** Days for which usage and the audit log may be kept. The month's usage needs 31 of them. */
export const RETENTION_DAYS_MIN = 31;
export const RETENTION_DAYS_MAX = 3_650;
