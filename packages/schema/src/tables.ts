/**
 * Every table, with the constraints that hold for every writer. Times are compared by Postgres's
 * clock; infinite timestamps are refused because JavaScript cannot represent them (rule
 * database-time).
 */
export * from './access-token/tables.ts';
export * from './alert/tables.ts';
export * from './api-key/tables.ts';
export * from './audit/tables.ts';
export * from './customer/tables.ts';
export * from './customer-plan/tables.ts';
export * from './decision-log/tables.ts';
export * from './member/tables.ts';
export * from './plan/tables.ts';
export * from './policy/tables.ts';
export * from './project/tables.ts';
export * from './runtime-lease/tables.ts';
export * from './settings/tables.ts';
export * from './subscription/tables.ts';
export * from './usage/tables.ts';
export * from './user/tables.ts';
