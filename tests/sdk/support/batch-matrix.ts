import type { CeibaRuntimeClientOptions, Decision } from '@ceiba/sdk';
import { allowDecision } from '@ceiba/sdk/testing';
import { after, deadlineOf, GRACE_MS, PROJECT_ID } from './failure-matrix.ts';
import { type Failure, replyText, startHostileRuntime } from './hostile-runtime.ts';
import type { Sdk } from './sdk.ts';

/** Enough that one client sends some of them as a batch. */
const QUESTIONS = 32;
const keyOf = (index: number) => `ceiba_key_${String(index).padStart(2, '0')}`;
const KEY = /"apiKey":"(ceiba_key_\d\d)"/g;

/** After these, the questions of a batch are asked one by one (docs/adr/0022). */
const ASKED_AGAIN = [404, 405, 413];

/**
 * Asks 32 questions at once on one client, so that batches are sent, of a Runtime that fails in one
 * way. Returns the problems: a call that is allowed or not answered in time, and a question that is
 * sent twice.
 */
export async function batchProblemsOf(
  sdk: Sdk,
  failure: Failure,
  options: CeibaRuntimeClientOptions = {},
): Promise<string[]> {
  const runtime = await startHostileRuntime(failure);
  const { outcomes, close } = askAtOnce(sdk, runtime.url, deadlineOf(failure), options);
  try {
    const inTime = after(deadlineOf(failure) + GRACE_MS).then(() => 'not answered');
    const all = await Promise.all(outcomes.map((outcome) => Promise.race([outcome, inTime])));
    const problems = all.flatMap((outcome, index) => {
      if (outcome === 'not answered') return [`${keyOf(index)} was not answered in time`];
      return outcome !== null && typeof outcome === 'object' && outcome.allowed
        ? [`${keyOf(index)} was allowed`]
        : [];
    });
    return [...problems, ...sentTwice(runtime.requests, failure)];
  } finally {
    close();
    await runtime.close();
  }
}

/** Whether a failure can receive a whole request, so that a batch must be among them. */
const reads = ({ onConnect, overTls }: Failure) => !onConnect && !overTls;

function sentTwice(requests: readonly string[], failure: Failure): string[] {
  if (!reads(failure)) return [];
  if (!requests.some((request) => /^POST \S+\/batch /.test(request))) return ['no batch was sent'];
  if (ASKED_AGAIN.some((status) => failure.name.startsWith(`answers ${status}`))) return [];
  const sent = new Map<string, number>();
  for (const [, key = ''] of requests.join('\n').matchAll(KEY)) {
    sent.set(key, (sent.get(key) ?? 0) + 1);
  }
  return [...sent].filter(([, times]) => times > 1).map(([key]) => `${key} was sent twice`);
}

/** Asks a Runtime that names the key of each question. Returns the questions that got another answer. */
export async function mixUpsOf(sdk: Sdk): Promise<string[]> {
  const runtime = await startHostileRuntime({
    name: 'answers',
    hostStatus: 200,
    answer: (socket) => {
      const request = runtime.requests.at(-1) ?? '';
      const decisions = [...request.matchAll(KEY)].map(([, key = '']) => allowOf(key));
      const body = /^POST \S+\/batch /.test(request)
        ? { results: decisions.map((decision) => ({ status: 200, decision })) }
        : decisions[0];
      socket.write(replyText(200, JSON.stringify(body)));
    },
  });
  const { outcomes, close } = askAtOnce(sdk, runtime.url, 5_000);
  try {
    const names = (await Promise.all(outcomes)).map(
      (decision) => decision?.allowed && decision.access.apiKey.displayName,
    );
    return names.flatMap((name, index) =>
      name === keyOf(index) ? [] : [`${keyOf(index)} got the answer to ${name}`],
    );
  } finally {
    close();
    await runtime.close();
  }
}

function allowOf(displayName: string): Decision {
  const allow = allowDecision();
  const apiKey = { ...allow.access.apiKey, displayName };
  return { ...allow, access: { ...allow.access, apiKey } };
}

/** @returns each question's decision, or null for an error */
function askAtOnce(
  sdk: Sdk,
  runtimeBaseUrl: string,
  timeoutMs: number,
  options: CeibaRuntimeClientOptions = {},
) {
  const config = sdk.root.parseCeibaConfig({
    runtimeBaseUrl,
    projectId: PROJECT_ID,
    projectSecret: 'ceiba_secret_x',
    timeoutMs,
  });
  const client = new sdk.root.CeibaRuntimeClient(config, options);
  const outcomes = Array.from({ length: QUESTIONS }, (_, index) =>
    client
      .authorize({ apiKey: keyOf(index), method: 'GET', path: '/v1/reports' })
      .catch((): null => null),
  );
  return { outcomes, close: () => client.close() };
}
