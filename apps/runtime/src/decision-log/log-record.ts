import { timeOfDecision } from '@ceiba/domain';
import { type NewDecision, toLoggedDecision } from '@ceiba/schema';
import type { Attributes } from '@opentelemetry/api';
import type { LogRecord } from '@opentelemetry/api-logs';

/** `SeverityNumber.INFO`: a denial is no error of the Runtime. */
const INFO = 9;

/** A decision as another engine for logs gets it. */
export function logRecordOf(decision: NewDecision): LogRecord {
  const at = timeOfDecision(decision.decisionId) ?? new Date();
  const { method, path, outcome } = decision;
  return {
    eventName: 'ceiba.decision',
    timestamp: at,
    severityNumber: INFO,
    severityText: 'INFO',
    body: `${outcome} ${method} ${path ?? ''}`.trimEnd(),
    attributes: attributesOf(decision, at),
  };
}

/** Names of OpenTelemetry's semantic conventions where there is one. */
function attributesOf(decision: NewDecision, at: Date): Attributes {
  const { projectId, ...record } = decision;
  const { limits, exceededLimit } = toLoggedDecision({ ...record, at });
  const attributes = {
    'http.request.method': record.method,
    'url.path': record.path,
    'ceiba.project.id': projectId,
    'ceiba.decision.id': record.decisionId,
    'ceiba.decision.outcome': record.outcome,
    'ceiba.decision.denial_detail': record.denialDetail,
    'ceiba.decision.latency_ms': record.latencyMs,
    'ceiba.request.id': record.requestId,
    'ceiba.api_key.id': record.apiKeyId,
    'ceiba.api_key.prefix': record.keyPrefix,
    'ceiba.api_key.by_previous_secret': record.byPreviousSecret || undefined,
    'ceiba.customer.id': record.customerId,
    'ceiba.policy.id': record.policyId,
    'ceiba.limits.rate_per_minute': limits?.rateLimitPerMinute,
    'ceiba.limits.monthly_quota': limits?.monthlyQuota,
    'ceiba.limits.daily_quota': limits?.dailyQuota,
    'ceiba.limits.remaining_today': limits?.remainingToday,
    'ceiba.limits.remaining_this_minute': limits?.remainingThisMinute,
    'ceiba.limits.remaining_this_month': limits?.remainingThisMonth,
    'ceiba.exceeded_limit.owner': exceededLimit?.owner,
    'ceiba.exceeded_limit.window': exceededLimit?.window,
    'ceiba.exceeded_limit.value': exceededLimit?.value,
  };
  const known = Object.entries(attributes).filter(([, value]) => value != null);
  return Object.fromEntries(known) as Attributes;
}
