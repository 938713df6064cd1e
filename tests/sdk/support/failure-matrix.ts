import type { AccessOptions, CeibaRuntimeClientOptions } from '@ceiba/sdk';
import { type Failure, startHostileRuntime } from './hostile-runtime.ts';
import { ADAPTERS, type Host, type StartHost, sendRaw } from './hosts.ts';
import type { Sdk } from './sdk.ts';

/** Milliseconds: short where only the deadline ends the call, otherwise long. */
export const deadlineOf = ({ isSlow }: Failure) => (isSlow ? 250 : 5_000);
/** How much later than the deadline a reply may be: a host that forgets the deadline never answers. */
export const GRACE_MS = 4_000;
export const PROJECT_ID = '0192f0c0-0000-7000-8000-000000000001';

/** A way in which a host did not fail closed. */
export interface Violation {
  readonly adapter: string;
  readonly problem: string;
}

/** Options of one run of the matrix. */
export interface MatrixOptions {
  /** Every adapter by default. */
  readonly adapters?: Readonly<Record<string, StartHost>>;
  readonly client?: CeibaRuntimeClientOptions;
  readonly access?: Partial<AccessOptions>;
}

/** Runs one failure against every adapter, and returns the violations. */
export async function violationsOf(
  sdk: Sdk,
  failure: Failure,
  options: MatrixOptions = {},
): Promise<Violation[]> {
  const runtime = await startHostileRuntime(failure);
  const config = sdk.root.parseCeibaConfig({
    runtimeBaseUrl: runtime.url,
    projectId: PROJECT_ID,
    projectSecret: 'ceiba_secret_x',
    timeoutMs: deadlineOf(failure),
  });
  // A client for each adapter, as hosts have: the questions of one client would share requests.
  const violationOf = async ([adapter, start]: [string, StartHost]): Promise<Violation[]> => {
    const client = new sdk.root.CeibaRuntimeClient(config, options.client);
    const access = { client, projectId: PROJECT_ID, ...options.access };
    try {
      const problem = await problemOf(await start(sdk, access), failure);
      return problem === undefined ? [] : [{ adapter, problem }];
    } finally {
      client.close();
    }
  };
  try {
    const adapters = Object.entries(options.adapters ?? ADAPTERS);
    return (await Promise.all(adapters.map(violationOf))).flat();
  } finally {
    await runtime.close();
  }
}

async function problemOf(host: Host, failure: Failure): Promise<string | undefined> {
  try {
    return await problemAt(host, failure);
  } finally {
    await host.close();
  }
}

async function problemAt(host: Host, failure: Failure): Promise<string | undefined> {
  const startedAt = performance.now();
  const headers = ['x-api-key: ceiba_key'];
  const reply = await Promise.race([
    sendRaw(host.port, 'GET /v1/reports HTTP/1.1', headers),
    after(deadlineOf(failure) + GRACE_MS),
  ]);
  if (host.handled.length > 0) return `the handler ran ${host.handled.length} times`;
  if (reply === undefined) return `no reply after ${Math.round(performance.now() - startedAt)} ms`;
  if (reply.status !== failure.hostStatus) return `the status was ${reply.status}`;
  return bodyProblem(reply.body, reply.status);
}

function bodyProblem(text: string, status: number): string | undefined {
  const isDenial = [401, 403, 429].includes(status);
  const expected = isDenial ? 'service_forbidden service_rate_limited' : 'service_unavailable';
  const error = /"error":"([a-z_]+)"/.exec(text)?.[1] ?? 'none';
  return expected.split(' ').includes(error) ? undefined : `the body was ${text}`;
}

export function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}
