import type { PolicyFacts, Successors } from '@ceiba/domain';
import { formatCount, plural, policyText } from '#lib/format.ts';
import { labelText } from '#lib/labels.ts';

/** Of more policies or labels, the first are named. */
const NAMED_MAX = 3;

/**
 * Says what becomes of the calls of a policy that is deleted. The policies that decide them then have
 * their own labels and costs (ADR 0059), so a call may be denied, allowed or charged that was not before.
 */
export function afterDeletion(
  policy: Pick<PolicyFacts, 'scopes' | 'cost'>,
  { ofMethods, cover }: Successors<PolicyFacts>,
): string {
  const changes = [...ofMethods, ...(cover ? [cover] : [])].flatMap((next) => {
    const terms = changedTerms(policy, next);
    if (terms === '') return [];
    const calls =
      next !== cover ? `the ${next.method}` : ofMethods.length > 0 ? 'the other' : 'these';
    return `${policyText(next)} then decides ${calls} calls: ${terms}.`;
  });
  if (cover && changes.length === 0) {
    return `${policyText(cover)} covers the same calls, so no call is denied.`;
  }
  const more = changes.length - NAMED_MAX;
  return [
    ...(cover ? [] : ['Calls that no other policy matches are denied from the next request on.']),
    ...changes.slice(0, NAMED_MAX),
    ...(more > 0
      ? [`So do ${plural(more, 'more policy', 'more policies')}, for other methods.`]
      : []),
  ].join(' ');
}

/** The labels and the cost of the next policy, as far as they differ. */
function changedTerms(policy: Pick<PolicyFacts, 'scopes' | 'cost'>, next: PolicyFacts): string {
  const isOpenAsBefore = labelText(policy.scopes) === labelText(next.scopes);
  const price = next.cost === 0 ? 'a call is free' : `a call costs ${formatCount(next.cost)}`;
  return [
    ...(isOpenAsBefore ? [] : [openTo(next.scopes ?? [])]),
    ...(policy.cost === next.cost ? [] : [price]),
  ].join(', and ');
}

function openTo(labels: readonly string[]): string {
  if (labels.length === 0) return 'it has no labels, so it is closed to restricted keys';
  const named = labels.slice(0, NAMED_MAX).join(', ');
  const more = labels.length - NAMED_MAX;
  const all = more > 0 ? `${named} and ${formatCount(more)} more` : named;
  return `it is open to restricted keys with ${labels.length === 1 ? 'the scope' : 'one of the scopes'} ${all}`;
}
