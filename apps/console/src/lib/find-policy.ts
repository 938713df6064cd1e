import { policyText } from './format.ts';

interface Policy {
  policyId: string;
  method: string;
  pathPattern: string;
}

/** Whether a search for the text finds the policy: by a part of `GET /v1/reports*`, or by its ID. */
export function findsPolicy(text: string, policy: Policy): boolean {
  const wanted = text.trim().toLowerCase();
  return policy.policyId === wanted || policyText(policy).toLowerCase().includes(wanted);
}

/** The page of a policy or, for a role that cannot open it, its row in the list. */
export const policyPageHref = (projectId: string, policyId: string, opens: boolean): string =>
  `/projects/${projectId}/policies${opens ? '/' : '?q='}${policyId}`;
