import { compilePolicies } from '@ceiba/domain';
import { probes } from '../sdk/support/targets.ts';

const policies = compilePolicies([{ policyId: 'p', method: 'GET', pathPattern: '/v1/reports*' }]);

/**
 * The hostile targets around one resource, with the verdict of the domain under the policy of test
 * projects: for those that pass a target on. tests/sdk and tests/integration/gateways try the whole
 * corpus on routers and gateways, which read a target in their own way.
 */
const JUDGED = [...new Set(probes([['/v1/reports', '/v1/billing']]).map(({ target }) => target))];

/** The targets of which `isAllowed` differs; it answers null of one that it cannot send. */
export async function misjudged(
  isAllowed: (target: string) => Promise<boolean | null>,
): Promise<string[]> {
  const wrong: string[] = [];
  const waiting = JUDGED.values();
  const worker = async () => {
    for (const target of waiting) {
      const allowed = await isAllowed(target);
      const expected = policies.match('GET', target) !== null;
      if (allowed !== null && allowed !== expected) wrong.push(target);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return wrong;
}
