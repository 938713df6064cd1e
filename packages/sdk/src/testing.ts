import { expected, httpStatusForDenial, RuntimeTransportError } from './errors.ts';
import type {
  AllowDecision,
  AuthorizeClient,
  AuthorizeInput,
  Decision,
  DenialReason,
  DenyDecision,
  MatchedCustomer,
} from './types.ts';

/**
 * The fake client's answer to a key: `'allow'`, a denial reason, `'unavailable'` (no answer, as when
 * the Runtime is down; no warning reports it), or a whole decision.
 */
export type FakeVerdict = 'allow' | 'unavailable' | DenialReason | Decision;

/** Settings of the fake client. */
export interface FakeRuntimeOptions {
  /** {@link FAKE_PROJECT_ID} by default. */
  readonly projectId?: string;
  /** The verdict by API key. A key that is not listed is `invalid_api_key`. */
  readonly verdicts?: Readonly<Record<string, FakeVerdict>>;
  /** The external ID of the customer by API key, for the verdict `'allow'`. */
  readonly customers?: Readonly<Record<string, string>>;
}

/** Replaces `CeibaRuntimeClient` in the tests of a host. */
export interface FakeRuntimeClient extends AuthorizeClient {
  /** Every question so far, in order. */
  readonly questions: readonly AuthorizeInput[];
}

/** The default project of a fake client. */
export const FAKE_PROJECT_ID = '00000000-0000-4000-8000-000000000000';

/**
 * Creates a client for tests that answers from a table, without a Runtime or a network. It matches no
 * paths, charges nothing and has no limits.
 *
 * @example
 * const client = createFakeRuntimeClient({
 *   verdicts: { 'good-key': 'allow', 'busy-key': 'rate_limited', 'down-key': 'unavailable' },
 *   customers: { 'good-key': 'acme' },
 * });
 * const app = createApp({ client });
 */
export function createFakeRuntimeClient(options: FakeRuntimeOptions = {}): FakeRuntimeClient {
  const { projectId = FAKE_PROJECT_ID } = options;
  const verdicts = new Map(Object.entries(options.verdicts ?? {}));
  const customers = new Map(Object.entries(options.customers ?? {}));
  const questions: AuthorizeInput[] = [];

  async function authorize(input: AuthorizeInput): Promise<Decision> {
    questions.push(input);
    if (input.apiKey === null) return denyDecision('missing_api_key');
    const verdict = verdicts.get(input.apiKey) ?? 'invalid_api_key';
    if (typeof verdict === 'object') return verdict;
    if (verdict === 'unavailable') {
      throw expected(new RuntimeTransportError('unreachable', 'The fake Runtime is unavailable'));
    }
    if (verdict !== 'allow') return denyDecision(verdict);
    const externalId = customers.get(input.apiKey);
    const { access } = allowDecision();
    return externalId === undefined
      ? allowDecision()
      : allowDecision({ access: { ...access, customer: fakeCustomer(externalId) } });
  }
  return { projectId, questions, authorize };
}

const fakeCustomer = (externalId: string): MatchedCustomer => ({
  customerId: '00000000-0000-4000-8000-000000000005',
  externalId,
  plan: null,
});

const DECISION_ID = '00000000-0000-7000-8000-000000000001';

/** An allow with plausible values, any of which can be replaced. */
export function allowDecision(
  changes: Partial<Omit<AllowDecision, 'allowed'>> = {},
): AllowDecision {
  return {
    allowed: true,
    decisionId: DECISION_ID,
    access: {
      projectId: FAKE_PROJECT_ID,
      apiKey: {
        apiKeyId: '00000000-0000-4000-8000-000000000002',
        displayName: 'Fake key',
        keyPrefix: 'ceiba_fakefake',
      },
      policy: {
        policyId: '00000000-0000-4000-8000-000000000003',
        method: '*',
        pathPattern: '*',
      },
      plan: { planId: '00000000-0000-4000-8000-000000000004', name: 'Fake plan' },
    },
    limits: {
      rateLimitPerMinute: 60,
      monthlyQuota: 10_000,
      remainingThisMinute: 59,
      remainingThisMonth: 9_999,
    },
    resetAfterSeconds: { minute: 30, month: 86_400 },
    ...changes,
  };
}

/** A denial; one by a limit has the limits, the one that was exceeded and the seconds to wait. */
export function denyDecision(denialReason: DenialReason): DenyDecision {
  const isLimit = httpStatusForDenial(denialReason) === 429;
  const wait = isLimit ? { ...exceeded(denialReason), retryAfterSeconds: 30 } : {};
  return { allowed: false, decisionId: DECISION_ID, denialReason, ...wait };
}

function exceeded(denialReason: DenialReason): Pick<DenyDecision, 'limits' | 'exceededLimit'> {
  const { limits } = allowDecision();
  return denialReason === 'rate_limited'
    ? {
        limits: { ...limits, remainingThisMinute: 0 },
        exceededLimit: { owner: 'plan', window: 'minute', value: limits.rateLimitPerMinute },
      }
    : {
        limits: { ...limits, remainingThisMonth: 0 },
        exceededLimit: { owner: 'plan', window: 'month', value: limits.monthlyQuota },
      };
}
