import { join } from 'node:path';

import { LauncherError } from './errors.mjs';
import { ceiba } from './programs.mjs';
import { randomSecret, readJson, writePrivateJson } from './secrets.mjs';

/**
 * @typedef {import('./supervisor.mjs').Supervisor} Supervisor
 * @typedef {import('./services.mjs').Services} Services
 *
 * The contents of `demo.json`.
 * @typedef {object} Demo
 * @property {string} ownerEmail
 * @property {string} ownerPassword
 * @property {string} projectId
 * @property {string} projectSecret
 * @property {string} apiKey
 *
 * @typedef {{ supervisor: Supervisor, services: Services, runtimeUrl: string }} World
 */

const ownerEmail = 'demo@ceiba.local';

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
 * @param {World} world Its Runtime has to be ready.
 * @returns {Promise<{ demo: Demo, news: 'created' | 'kept' | 'renewed' }>}
 */
export async function ensureDemo(world) {
  const file = join(world.supervisor.dataDir, 'demo.json');
  const stored = parseDemo(readJson(file));
  if (stored !== undefined) {
    const keys = await listKeys(world, stored);
    if (keys?.some((key) => isUsable(key, stored.apiKey))) return { demo: stored, news: 'kept' };
    if (keys !== undefined) return save(file, await withNewKey(world, stored), 'renewed');
  }
  return save(file, await createDemo(world), stored === undefined ? 'created' : 'renewed');
}

/**
 * @param {string} file
 * @param {Demo} demo
 * @param {'created' | 'renewed'} news
 */
function save(file, demo, news) {
  writePrivateJson(file, demo);
  return { demo, news };
}

/** @param {World} world @returns {Promise<Demo>} */
async function createDemo(world) {
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

/**
 * @param {World} world
 * @param {Demo} demo
 * @returns {Promise<Demo>}
 */
async function withNewKey(world, demo) {
  const answer = await keyRoute(world, demo, { displayName: 'Demo key' });
  const { plaintextKey } = answer.body;
  if (typeof plaintextKey === 'string') return { ...demo, apiKey: plaintextKey };
  // The user created as many keys as the plan allows, and can revoke some in the console.
  if (answer.body.error === 'plan_limit_reached') return demo;
  throw new LauncherError('The demo key could not be created.', {
    output: JSON.stringify(answer.body),
  });
}

/**
 * @typedef {{ keyPrefix: string, status: string, expiresAt: string | null }} KeySummary
 * @param {World} world
 * @param {Demo} demo
 * @returns {Promise<KeySummary[] | undefined>} Undefined when the project or its secret is gone.
 */
async function listKeys(world, demo) {
  const { status, body } = await keyRoute(world, demo);
  if (Array.isArray(body.apiKeys)) return body.apiKeys;
  if (status === 401) return undefined;
  throw new LauncherError('The Runtime could not read the demo project.', {
    output: JSON.stringify(body),
  });
}

/** @param {KeySummary} key @param {string} apiKey */
function isUsable({ keyPrefix, status, expiresAt }, apiKey) {
  const isLive = expiresAt === null || Date.parse(expiresAt) > Date.now();
  return status === 'active' && isLive && apiKey.startsWith(keyPrefix);
}

/**
 * @param {World} world
 * @param {Demo} demo
 * @param {{ displayName: string }} [create]
 * @returns {Promise<{ status: number, body: Record<string, unknown> }>}
 */
async function keyRoute({ runtimeUrl }, { projectId, projectSecret }, create) {
  const answer = await fetch(`${runtimeUrl}/rt/projects/${projectId}/api-keys`, {
    method: create ? 'POST' : 'GET',
    headers: {
      'x-service-project-secret': projectSecret,
      ...(create ? { 'content-type': 'application/json' } : {}),
    },
    ...(create ? { body: JSON.stringify(create) } : {}),
    signal: AbortSignal.timeout(10_000),
  });
  /** @type {unknown} */
  const body = await answer.json().catch(() => null);
  return { status: answer.status, body: typeof body === 'object' ? { ...body } : {} };
}

/** @param {Record<string, unknown> | undefined} value @returns {Demo | undefined} */
function parseDemo(value) {
  const { ownerEmail, ownerPassword, projectId, projectSecret, apiKey } = value ?? {};
  const fields = { ownerEmail, ownerPassword, projectId, projectSecret, apiKey };
  const isWhole = Object.values(fields).every((field) => typeof field === 'string');
  return isWhole ? /** @type {Demo} */ (fields) : undefined;
}
