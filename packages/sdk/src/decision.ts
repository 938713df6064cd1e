import type { AccessContext, Decision, Limits, ResetAfterSeconds } from './types.ts';

/*
 * Decisions are parsed field by field, because a value that only resembles an allow must not become
 * one (docs/reference/consistency.md: fail closed). Unknown fields are ignored and dropped.
 */

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a JSON object, or null for any other value. */
export function fieldsOf(value: unknown): Fields | null {
  return isFields(value) ? value : null;
}

/** A non-empty string, or null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/**
 * Parses a decision from a JSON body.
 *
 * @returns null when the body is not a decision. An allow needs the literal `true`, a decision id, a
 * complete access context and complete limits; a denial needs the literal `false` and a reason.
 */
export function parseDecision(body: unknown): Decision | null {
  const fields = fieldsOf(body);
  if (fields?.allowed === true) return parseAllow(fields);
  if (fields?.allowed === false) return parseDenial(fields);
  return null;
}

function parseAllow(fields: Fields): Decision | null {
  const decisionId = textOf(fields.decisionId);
  const access = parseAccess(fields.access);
  const limits = parseLimits(fields.limits);
  if (decisionId === null || access === null || limits === null) return null;
  return { allowed: true, decisionId, access, limits, ...parseReset(fields.resetAfterSeconds) };
}

function parseDenial(fields: Fields): Decision | null {
  const denialReason = textOf(fields.denialReason);
  if (denialReason === null) return null;
  const retryAfterSeconds = countOf(fields.retryAfterSeconds);
  const limits = parseLimits(fields.limits);
  return {
    allowed: false,
    decisionId: textOf(fields.decisionId),
    denialReason,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(limits === null ? {} : { limits }),
    ...parseReset(fields.resetAfterSeconds),
  };
}

function parseLimits(value: unknown): Limits | null {
  const fields = fieldsOf(value);
  if (fields === null) return null;
  const rateLimitPerMinute = countOf(fields.rateLimitPerMinute);
  const monthlyQuota = countOf(fields.monthlyQuota);
  const remainingThisMinute = countOf(fields.remainingThisMinute);
  const remainingThisMonth = countOf(fields.remainingThisMonth);
  if (
    rateLimitPerMinute === null ||
    monthlyQuota === null ||
    remainingThisMinute === null ||
    remainingThisMonth === null
  ) {
    return null;
  }
  return { rateLimitPerMinute, monthlyQuota, remainingThisMinute, remainingThisMonth };
}

/** Without a valid reset time a header parameter is missing; the verdict is still valid. */
function parseReset(value: unknown): { resetAfterSeconds?: ResetAfterSeconds } {
  const fields = fieldsOf(value);
  const minute = countOf(fields?.minute);
  const month = countOf(fields?.month);
  return minute === null || month === null ? {} : { resetAfterSeconds: { minute, month } };
}

function parseAccess(value: unknown): AccessContext | null {
  const fields = fieldsOf(value);
  const projectId = textOf(fields?.projectId);
  const apiKey = parseAccessKey(fields?.apiKey);
  const policy = parseAccessPolicy(fields?.policy);
  const plan = parseAccessPlan(fields?.plan);
  if (projectId === null || apiKey === null || policy === null || plan === null) return null;
  return { projectId, apiKey, policy, plan };
}

function parseAccessKey(value: unknown): AccessContext['apiKey'] | null {
  const fields = fieldsOf(value);
  const apiKeyId = textOf(fields?.apiKeyId);
  const displayName = textOf(fields?.displayName);
  const keyPrefix = textOf(fields?.keyPrefix);
  if (apiKeyId === null || displayName === null || keyPrefix === null) return null;
  return { apiKeyId, displayName, keyPrefix };
}

function parseAccessPolicy(value: unknown): AccessContext['policy'] | null {
  const fields = fieldsOf(value);
  const policyId = textOf(fields?.policyId);
  const method = textOf(fields?.method);
  const pathPattern = textOf(fields?.pathPattern);
  if (policyId === null || method === null || pathPattern === null) return null;
  return { policyId, method, pathPattern };
}

function parseAccessPlan(value: unknown): AccessContext['plan'] | null {
  const fields = fieldsOf(value);
  const planId = textOf(fields?.planId);
  const name = textOf(fields?.name);
  return planId === null || name === null ? null : { planId, name };
}
