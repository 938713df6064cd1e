export * from './access-token/authenticate.ts';
export * from './access-token/create.ts';
export { type AccessToken, listAccessTokens } from './access-token/list.ts';
export { type ActingToken, TokenRefusedError } from './access-token/require-token.ts';
export * from './access-token/revoke.ts';
export {
  confirmAlertMail,
  findAlertMail,
  unsubscribeAlertMail,
} from './alert/consent.ts';
export * from './alert/create-destination.ts';
export * from './alert/delete-destination.ts';
export * from './alert/deliver.ts';
export { publicAddress } from './alert/destination.ts';
export * from './alert/detect.ts';
export * from './alert/list.ts';
export type { AlertDestinationRef } from './alert/ref.ts';
export * from './alert/remove-old.ts';
export * from './alert/rotate-secret.ts';
export * from './alert/send.ts';
export * from './alert/set-disabled.ts';
export * from './alert/update-destination.ts';
export type { FullPlan } from './api-key/cap.ts';
export type { TransitionResult } from './api-key/change.ts';
export * from './api-key/change-many.ts';
export {
  type ApiKeyFields,
  type CreateApiKeyInput,
  createApiKey,
  createApiKeys,
  type NewApiKey,
  type NewApiKeyResult,
} from './api-key/create.ts';
export * from './api-key/describe.ts';
export { exportApiKeys } from './api-key/export.ts';
export { findApiKeysInProjects } from './api-key/find-in-projects.ts';
export { type ApiKeyRef, getApiKey } from './api-key/get.ts';
export {
  API_KEY_HINTS,
  type ApiKeyHint,
} from './api-key/hints.ts';
export * from './api-key/import.ts';
export {
  type ApiKeyName,
  findKeyByPrefix,
  findKeysByPrefix,
  readKeyNames,
} from './api-key/names.ts';
export * from './api-key/record-first-use.ts';
export { removeOldCreations } from './api-key/repeat.ts';
export * from './api-key/rotate.ts';
export { type ApiKeyRow, getApiKeyRow } from './api-key/row.ts';
export {
  API_KEY_SORTS,
  type ApiKeyFilter,
  type ApiKeyPage,
  COUNTED_MAX,
  type FindApiKeysInput,
  FOUND_MAX,
  findApiKeys,
  listApiKeyRows,
  type SearchApiKeysInput,
  searchApiKeys,
} from './api-key/search.ts';
export * from './api-key/survey.ts';
export * from './api-key/transition.ts';
export * from './api-key/update.ts';
export { AUDIT_ACTIONS, type AuditAction } from './audit/actions.ts';
export { changeThatDenied } from './audit/effects.ts';
export * from './audit/first-denials.ts';
export * from './audit/list.ts';
export { type StreamedEntry, takeAuditEntries } from './audit/stream.ts';
export { classifyError } from './connection/classify-error.ts';
export { DatabaseClient } from './connection/client.ts';
export { createDatabase, type Database, type DatabaseOptions } from './connection/database.ts';
export {
  DatabaseUnavailableError,
  NoLeaseError,
  NotPrimaryError,
  outageCode,
  postgresError,
  UnconfirmedCommitError,
} from './connection/errors.ts';
export * from './connection/inspect.ts';
export { openDatabase } from './connection/open.ts';
export * from './connection/ping.ts';
export type { Fence, ServerEvidence } from './connection/server.ts';
export { SESSION_SETTINGS } from './connection/session.ts';
export { within, withPatience } from './connection/within.ts';
export { type Actor, allOrNothing, dryRun, inSnapshot, type VerbContext } from './context.ts';
export {
  type CreateCustomerInput,
  type CreateCustomerResult,
  createCustomer,
} from './customer/create.ts';
export * from './customer/export.ts';
export type { CustomerFields } from './customer/fields.ts';
export { findCustomersInProjects } from './customer/find-in-projects.ts';
export { type Customer, type CustomerRef, getCustomer } from './customer/get.ts';
export * from './customer/list.ts';
export * from './customer/names.ts';
export * from './customer/set-suspended.ts';
export * from './customer/survey.ts';
export * from './customer/update.ts';
export * from './customer/use.ts';
export * from './customer-plan/create.ts';
export * from './customer-plan/delete.ts';
export {
  type CustomerPlan,
  type CustomerPlanFields,
  type CustomerPlanRef,
  type CustomerPlanState,
  type CustomerPlanWithUse,
  listCustomerPlans,
  searchCustomerPlans,
} from './customer-plan/list.ts';
export * from './customer-plan/put.ts';
export * from './customer-plan/update.ts';
export * from './decision/lookup.ts';
export * from './decision/simulate.ts';
export { exportDecisions } from './decision-log/export.ts';
export * from './decision-log/failures.ts';
export * from './decision-log/find-in-projects.ts';
export { type DecisionGap, type DecisionGapSum, readDecisionGaps } from './decision-log/gaps.ts';
export * from './decision-log/group-denials.ts';
export {
  type DecisionFilter,
  type DecisionRecord,
  findDecision,
  listDecisions,
  UNKNOWN_KEYS_SEARCHED_MAX,
} from './decision-log/list.ts';
export * from './decision-log/logged-decision.ts';
export * from './decision-log/maintain.ts';
export * from './decision-log/write.ts';
export { InvalidInputError, keyBrandSchema } from './input.ts';
export { readInstallationId } from './installation/id.ts';
export {
  checkSetup,
  createSetupToken,
  hasAdministrator,
} from './installation/setup-token.ts';
export * from './member/change.ts';
export * from './member/invite.ts';
export * from './member/join.ts';
export * from './member/list.ts';
export { type ProjectAccess, RightRefusedError, requireRight } from './member/require-right.ts';
export * from './member/transfer.ts';
export * from './migrate.ts';
export { everyPage, type Page, type PageRequest, type Run } from './page.ts';
export * from './plan/create.ts';
export * from './plan/delete.ts';
export {
  findPlanByName,
  listPlans,
  listPlansWithUse,
  type NewPlan,
  type Plan,
  type PlanWithUse,
} from './plan/list.ts';
export * from './plan/put.ts';
export * from './plan/search.ts';
export * from './plan/update.ts';
export {
  createPolicies,
  createPolicy,
} from './policy/create.ts';
export { deletePolicy } from './policy/delete.ts';
export { listPolicies, type PolicyRecord } from './policy/list.ts';
export * from './policy/list-with-hits.ts';
export * from './policy/list-with-revision.ts';
export { type ReplacePoliciesResult, replacePolicies } from './policy/replace.ts';
export type { PolicyInput, PolicyRef, PolicyRule, PolicyState } from './policy/rule.ts';
export { updatePolicy } from './policy/update.ts';
export * from './project/create.ts';
export * from './project/delete.ts';
export * from './project/end-previous-secret.ts';
export * from './project/get.ts';
export * from './project/list-at-a-glance.ts';
export * from './project/list-with-owner.ts';
export {
  type InactiveReason,
  type LapseReason,
  type Problem,
  readDenyingProblems,
  readProblems,
} from './project/problems.ts';
export * from './project/rotate-secret.ts';
export * from './project/update.ts';
export * from './rehearsal.ts';
export * from './runtime-lease/remove-dead.ts';
export * from './runtime-lease/renew.ts';
export * from './settings/apply-retention.ts';
export * from './settings/retention.ts';
export * from './settings/second-factor.ts';
export * from './subscription/day-use.ts';
export { getSubscription, type Subscription } from './subscription/get.ts';
export * from './subscription/quota-use.ts';
export * from './subscription/set.ts';
export * from './usage/by-customer.ts';
export { compareUsage, type UsageComparison } from './usage/compare.ts';
export * from './usage/export.ts';
export * from './usage/first-steps.ts';
export * from './usage/first-use.ts';
export * from './usage/period-totals.ts';
export * from './usage/read-of.ts';
export * from './usage/recent-use.ts';
export {
  type LastUse,
  recordUsage,
  type SecretUse,
  type UsageBatch,
  type UsageCostCount,
  type UsageDayCount,
  type UsageHourCount,
  type UsageMonthCount,
} from './usage/record.ts';
export { rollUpUsage } from './usage/roll-up.ts';
export * from './usage/series.ts';
export * from './usage/top-denials.ts';
export * from './user/complete-sign-in.ts';
export * from './user/create.ts';
export * from './user/delete.ts';
export * from './user/find.ts';
export * from './user/list.ts';
export * from './user/list-sessions.ts';
export type { ProvenUser } from './user/lock.ts';
export * from './user/passkey.ts';
export * from './user/refuse-sign-in.ts';
export {
  type AdministratorAccess,
  AdministratorRefusedError,
} from './user/require-administrator.ts';
export * from './user/reset-password.ts';
export * from './user/second-factor.ts';
export type { SecondFactorState } from './user/second-factor-state.ts';
export * from './user/session.ts';
export * from './user/set-administrator.ts';
export * from './user/set-email.ts';
export * from './user/set-password.ts';
export * from './user/set-time-zone.ts';
export * from './user/sign-in-attempts.ts';
export * from './user/sign-in-challenge.ts';
export * from './user/sign-up.ts';
