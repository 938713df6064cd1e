/** The clients of Redis, as `REDIS_URL` asks for them. */
export * from './address.ts';
export * from './ask-sentinel.ts';
export * from './client.ts';
export { connectionError } from './connector.ts';
export * from './epoch.ts';
export * from './rehearsal.ts';
export { sentinelAccess } from './sentinels.ts';
export * from './source.ts';
