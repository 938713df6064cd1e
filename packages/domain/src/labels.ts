/** Labels that open policies to restricted keys: a scope in the words of the contract (ADR 0059). */
import { SCOPE_PATTERN, SCOPES_MAX } from '@ceiba/contract/sets';

/** Labels of a policy, a key or a customer plan; null where it has no list, which restricts nothing. */
export type Labels = readonly string[] | null;

/**
 * Whether labels open a policy. No list opens every policy; a list opens those that carry one of its
 * labels, and so never one without labels.
 */
export const opens = (labels: Labels, policy: { readonly scopes: Labels }): boolean =>
  labels === null || labels.some((label) => policy.scopes?.includes(label) === true);

/** Whether labels open each of some policies. */
export const opensAll = (
  labels: Labels,
  policies: readonly { readonly scopes: Labels }[],
): boolean => labels === null || policies.every((policy) => opens(labels, policy));

const LABEL = new RegExp(`^${SCOPE_PATTERN}$`);

/** Why a list of labels is refused, to complete "scopes …"; null where it is fine. */
export function whyNoLabels(labels: readonly string[]): string | null {
  if (labels.length > SCOPES_MAX) return `must be at most ${SCOPES_MAX} labels`;
  const wrong = labels.find((label) => !LABEL.test(label));
  if (wrong === undefined) return null;
  return 'must hold labels of 1 to 64 characters of a-z, 0-9, ".", "_", ":" and "-", which begin with a letter or a digit';
}

/** In order, each label once, so that equal lists are equal texts. */
export const sortedLabels = (labels: readonly string[]): string[] => [...new Set(labels)].sort();
