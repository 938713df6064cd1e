import type { Decision, ForwardAuthBody } from '@ceiba/contract';
import { HOST_REPLY_MESSAGES, type HostReplyCode } from '@ceiba/contract/host-replies';
import { headersForAllow, headersForLimitDenial } from '@ceiba/contract/rate-limit-headers';
import {
  HOST_ERROR_FOR_DENIAL,
  HTTP_STATUS_FOR_DENIAL,
  IDENTITY_HEADERS,
} from '@ceiba/contract/sets';
import type { ErrorLog } from '../error-log.ts';
import { TransportError } from '../errors.ts';
import { UnavailableError } from '../unavailable.ts';
import { GatewayMistake } from './cost.ts';

/** What a gateway does with the request, in the terms of HTTP. Only an allow has a status of 2xx. */
export interface GatewayAnswer {
  readonly status: number;
  /** All values are ASCII. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be sent as JSON. */
  readonly body: ForwardAuthBody;
}

/**
 * The answer that adapters of the SDK give to the same decision, and who was judged.
 *
 * @param projectId as the call named it
 */
export function answerToDecision(projectId: string, decision: Decision): GatewayAnswer {
  const identity = {
    [IDENTITY_HEADERS.projectId]: projectId.toLowerCase(),
    [IDENTITY_HEADERS.decisionId]: decision.decisionId,
  };
  if (decision.allowed === true) {
    const { apiKey, customer, policy, plan } = decision.access;
    const headers = {
      ...identity,
      [IDENTITY_HEADERS.apiKeyId]: apiKey.apiKeyId,
      ...(customer && {
        [IDENTITY_HEADERS.customerId]: customer.customerId,
        [IDENTITY_HEADERS.customerExternalId]: encodeURIComponent(customer.externalId),
      }),
      [IDENTITY_HEADERS.policyId]: policy.policyId,
      [IDENTITY_HEADERS.planId]: plan.planId,
      ...headersForAllow(decision),
    };
    return { status: 200, headers, body: { allowed: true } };
  }
  const { denialReason } = decision;
  const status = HTTP_STATUS_FOR_DENIAL[denialReason];
  const headers = {
    ...identity,
    [IDENTITY_HEADERS.denialReason]: denialReason,
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...headersForLimitDenial(decision),
  };
  return { status, headers, body: refusal(HOST_ERROR_FOR_DENIAL[denialReason]) };
}

/**
 * The answer to an error, which it reports. A wrong project secret is 503 too: a gateway would pass a
 * 401 on to the caller, whose key was not the problem.
 */
export function noVerdict(
  error: unknown,
  requestId: string,
  errors: Pick<ErrorLog, 'report' | 'reportGatewayMistake'>,
): GatewayAnswer {
  const isMistake = error instanceof TransportError;
  if (error instanceof GatewayMistake) errors.reportGatewayMistake(error.message, requestId);
  else if (!isMistake) errors.report(error, requestId);
  const status = isMistake || error instanceof UnavailableError ? 503 : 500;
  return { status, headers: {}, body: refusal('service_unavailable') };
}

const refusal = (error: HostReplyCode) => ({ error, message: HOST_REPLY_MESSAGES[error] });
