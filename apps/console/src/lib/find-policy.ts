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
