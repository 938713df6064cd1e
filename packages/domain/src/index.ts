export * from './credentials.ts';
export * from './decide.ts';
export * from './lifecycle.ts';
export * from './path.ts';
export * from './policies.ts';
export * from './redis-address.ts';
export * from './redis-epoch.ts';
export * from './subscription.ts';
