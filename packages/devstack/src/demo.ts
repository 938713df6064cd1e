import { join } from 'node:path';

import { LauncherError } from './errors.ts';
import { ceiba } from './programs.ts';
import { randomSecret, readJson, writePrivateJson } from './secrets.ts';
import type { Services } from './services.ts';
import type { Supervisor } from './supervisor.ts';
import { waitFor } from './wait.ts';

/** The contents of `demo.json`. */
export interface Demo {
  ownerEmail: string;
  ownerPassword: string;
  projectId: string;
  projectSecret: string;
  apiKey: string;
}

interface World {
  supervisor: Supervisor;
  services: Services;
  runtimeUrl: string;
}

const ownerEmail = 'demo@ceiba.local';

/** How long the Runtime may be too busy to answer. */
const busyTimeoutMs = 60_000;

/** The demo as a Ceiba file. JSON is valid YAML, which saves a YAML writer. */
const ceibaFile = JSON.stringify({
  owner: { email: ownerEmail },
  projects: [
    {
      name: 'demo',
      subscription: { plan: 'Free', status: 'active' },
      policies: [{ method: 'GET', pathPattern: '/v1/reports*' }],
    },
  ],
});

/**
 * Returns the demo of this data folder: created on the first run, kept on later ones, and created
 * again where it is no longer in the database.
 *
 * @param world Its Runtime has to be ready.
 */
export async function ensureDemo(
  world: World,
): Promise<{ demo: Demo; news: 'created' | 'kept' | 'renewed' }> {
  const file = join(world.supervisor.dataDir, 'demo.json');
  const stored = parseDemo(readJson(file));
  if (stored !== undefined) {
    const keys = await listKeys(world, stored);
    if (keys?.some((key) => isUsable(key, stored.apiKey))) return { demo: stored, news: 'kept' };
    if (keys !== undefined) return save(file, await withNewKey(world, stored), 'renewed');
  }
  return save(file, await createDemo(world), stored === undefined ? 'created' : 'renewed');
}

function save(file: string, demo: Demo, news: 'created' | 'renewed') {
  writePrivateJson(file, demo);
  return { demo, news };
}

async function createDemo(world: World): Promise<Demo> {
  const { supervisor, services } = world;
  const ownerPassword = randomSecret();
  const failure = 'The demo project could not be set up.';
  const applied = await ceiba(supervisor, services, ['apply', '-f', '-', '--json'], {
    failure,
    input: ceibaFile,
    ownerPassword,
  });
  const [{ projectId, projectSecret }] = JSON.parse(applied).projects;
  if (typeof projectSecret === 'string') {
    return withNewKey(world, { ownerEmail, ownerPassword, projectId, projectSecret, apiKey: '' });
  }
  // An earlier run created the project, and demo.json is lost: replace both secrets.
  const setPassword = ['owner', 'set-password', '--email', ownerEmail];
  await ceiba(supervisor, services, setPassword, { failure, ownerPassword });
  const rotate = ['project', 'rotate-secret', '--project', projectId, '--yes', '--json'];
  const rotated = JSON.parse(await ceiba(supervisor, services, rotate, { failure }));
  return withNewKey(world, {
    ownerEmail,
    ownerPassword,
    projectId,
    projectSecret: rotated.projectSecret,
    apiKey: '',
  });
}

async function withNewKey(world: World, demo: Demo): Promise<Demo> {
  const answer = await keyRoute(world, demo, { displayName: 'Demo key' });
  const { plaintextKey } = answer.body;
  if (typeof plaintextKey === 'string') return { ...demo, apiKey: plaintextKey };
  // The user created as many keys as the plan allows, and can revoke some in the console.
  if (answer.body.error === 'plan_limit_reached') return demo;
  throw new LauncherError('The demo key could not be created.', {
    output: JSON.stringify(answer.body),
  });
}

interface KeySummary {
  keyPrefix: string;
  status: string;
  expiresAt: string | null;
}

/** @returns Undefined when the project or its secret is gone. */
async function listKeys(world: World, demo: Demo): Promise<KeySummary[] | undefined> {
  const { status, body } = await keyRoute(world, demo);
  if (Array.isArray(body.apiKeys)) return body.apiKeys;
  if (status === 401) return undefined;
  throw new LauncherError('The Runtime could not read the demo project.', {
    output: JSON.stringify(body),
  });
}

function isUsable({ keyPrefix, status, expiresAt }: KeySummary, apiKey: string) {
  const isLive = expiresAt === null || Date.parse(expiresAt) > Date.now();
  return status === 'active' && isLive && apiKey.startsWith(keyPrefix);
}

/** Asks again while the Runtime answers 503, which on a busy machine it may right after its start. */
async function keyRoute(
  { runtimeUrl }: World,
  { projectId, projectSecret }: Demo,
  create?: { displayName: string },
): Promise<{ status: number; body: Record<string, unknown> }> {
  let status = 503;
  let body: unknown;
  const settled = async () => {
    const answer = await fetch(`${runtimeUrl}/rt/projects/${projectId}/api-keys`, {
      method: create ? 'POST' : 'GET',
      headers: {
        'x-service-project-secret': projectSecret,
        ...(create ? { 'content-type': 'application/json' } : {}),
      },
      ...(create ? { body: JSON.stringify(create) } : {}),
    });
    status = answer.status;
    body = await answer.json().catch(() => null);
    return status !== 503;
  };
  await waitFor(settled, { timeoutMs: busyTimeoutMs, intervalMs: 250 });
  return { status, body: typeof body === 'object' ? { ...body } : {} };
}

function parseDemo(value: Record<string, unknown> | undefined): Demo | undefined {
  const { ownerEmail, ownerPassword, projectId, projectSecret, apiKey } = value ?? {};
  const fields = { ownerEmail, ownerPassword, projectId, projectSecret, apiKey };
  const isWhole = Object.values(fields).every((field) => typeof field === 'string');
  return isWhole ? (fields as Demo) : undefined;
}
