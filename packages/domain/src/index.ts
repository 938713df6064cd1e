export * from './alerts.ts';
export * from './constants.ts';
export * from './credentials.ts';
export * from './decide.ts';
export * from './decision-id.ts';
export * from './lifecycle.ts';
export {
  ambiguityOf,
  canonicalPath,
  PATH_LENGTH_MAX,
} from './path.ts';
export * from './policies.ts';
export * from './policy-rule.ts';
export * from './postgres-address.ts';
export * from './postgres-parameters.ts';
export * from './project-roles.ts';
export * from './quota-projection.ts';
export * from './redis-address.ts';
export * from './redis-epoch.ts';
export * from './redis-sentinel.ts';
export * from './subscription.ts';
export * from './usage-range.ts';
export * from './windows.ts';
