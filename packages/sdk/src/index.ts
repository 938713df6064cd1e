/** The client of the Ceiba Runtime, and the functions that map its answers to a host's replies. */
export type {
  AccessEvent,
  AccessOptions,
  AccessOutcome,
  CustomReply,
  DeniedOutcome,
  FailedOutcome,
  HostReply,
  HostReplyBody,
} from './access-options.ts';
export type { CircuitBreakerOptions } from './circuit-breaker.ts';
export { CeibaRuntimeClient, type CeibaRuntimeClientOptions } from './client.ts';
export {
  type CeibaConfig,
  CeibaConfigError,
  type CeibaConfigInput,
  type CeibaSetting,
  parseCeibaConfig,
} from './config.ts';
export type { Customers } from './customers.ts';
export {
  ceibaErrorCodeForDenial,
  type HostFailureCode,
  type HostReplyCode,
  httpStatusForDenial,
  httpStatusForRuntimeTransport,
  RuntimeTransportError,
  type TransportFailure,
} from './errors.ts';
export type { FetchLike } from './http/fetch-transport.ts';
export type {
  AccessContext,
  AllowDecision,
  ApiKeyCreateResult,
  ApiKeyLifecycleResult,
  ApiKeyListResult,
  ApiKeyStatus,
  ApiKeySummary,
  AuthorizeClient,
  AuthorizeInput,
  AuthorizeOptions,
  CallOptions,
  CeibaAccess,
  CreateApiKeyRequest,
  CreateCustomerRequest,
  Customer,
  CustomerListResult,
  CustomerQuery,
  CustomerUsageResult,
  Decision,
  DenialReason,
  DenyDecision,
  ExceededLimit,
  HostErrorCode,
  Limits,
  MatchedApiKey,
  MatchedCustomer,
  RequestAccess,
  ResetAfterSeconds,
  TraceContext,
  UpdateApiKeyRequest,
  UpdateCustomerRequest,
  UsageQuery,
  UsageResult,
} from './types.ts';
