import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import { writeDecisions } from '@ceiba/schema';
import { newUuid } from '../../apps/runtime/src/new-uuid.ts';
import { callRoute, FORWARD_AUTH, PROJECT_ROUTES } from '../support/routes.ts';
import {
  type CallOptions,
  QUESTION,
  type Reply,
  runtimeClient,
  send,
  type TestApiKey,
  type TestProject,
  type World,
} from '../support/scenario.ts';
import { tableOf } from './table.ts';

/** A project, and one of each that an address names. */
interface Owned {
  project: TestProject;
  apiKey: TestApiKey;
  customerId: string;
  decisionId: string;
}

interface Scene extends Owned {
  world: World;
  /** Another project. */
  stranger: Owned;
}

/** A denial in the log of a project. */
async function logDecision({ db }: World, { projectId }: TestProject): Promise<string> {
  const decisionId = newUuid();
  const decision = { projectId, decisionId, ...QUESTION, latencyMs: 1 };
  const outcome = 'missing_api_key' as const;
  await writeDecisions(db, { decisions: [{ ...decision, outcome }], gaps: [] });
  return decisionId;
}

const OPEN_ROUTES = [
  'GET /health',
  'GET /ready',
  'GET /version',
  'GET /openapi.json',
  'GET /postman.json',
];

interface Situation {
  name: string;
  options(scene: Scene): CallOptions | Promise<CallOptions>;
  /** Changes its project, or the call does; all others of a route share a project. */
  changes?: true;
  /** The key in the address, if it is not the project's own. */
  apiKeyId?(scene: Scene): string;
  /** The customer in the address, if it is not one of the project. */
  customerId?(scene: Scene): string;
  /** The decision in the address, if it is not one of the project. */
  decisionId?(scene: Scene): string;
}

const secretOf = (find: (scene: Scene) => string | null) => (scene: Scene) => ({
  secret: find(scene),
});
const expirePrevious = ({ world, project }: Scene) =>
  world.db.sql`update projects set previous_secret_expires_at = now()
    where id = ${project.projectId}`;
const BAD_BODY = { body: '{', headers: { 'content-type': 'application/json' } };

const SITUATIONS: Situation[] = [
  { name: 'current secret', changes: true, options: secretOf(({ project }) => project.secret) },
  {
    name: 'previous secret, within its 24 hours',
    changes: true,
    options: async ({ project }) => {
      const { secret } = project;
      await project.rotateSecret();
      return { secret };
    },
  },
  {
    name: 'previous secret, its 24 hours over',
    changes: true,
    options: async (scene) => {
      const { secret } = scene.project;
      await scene.project.rotateSecret();
      await expirePrevious(scene);
      return { secret };
    },
  },
  {
    name: 'oldest secret, after a second rotation',
    changes: true,
    options: async ({ project }) => {
      const { secret } = project;
      await project.rotateSecret();
      await project.rotateSecret();
      return { secret };
    },
  },
  { name: 'no secret', options: secretOf(() => null) },
  { name: 'empty secret', options: secretOf(() => '') },
  { name: 'unknown secret', options: secretOf(() => mintProjectSecret(randomBytes).plaintext) },
  { name: 'text that is not a secret', options: secretOf(() => 'letmein') },
  {
    name: "another project's secret",
    options: secretOf(({ stranger }) => stranger.project.secret),
  },
  { name: 'a downstream key as the secret', options: secretOf(({ apiKey }) => apiKey.plaintext) },
  {
    name: 'the secret as a bearer token',
    options: ({ project }) => ({
      secret: null,
      headers: { authorization: `Bearer ${project.secret}` },
    }),
  },
  { name: 'unknown project', options: () => ({ projectId: randomUUID() }) },
  {
    name: 'deleted project',
    changes: true,
    options: async ({ world, project }) => {
      await world.db.sql`delete from projects where id = ${project.projectId}`;
      return {};
    },
  },
  { name: 'bad project UUID', options: () => ({ projectId: 'nope' }) },
  { name: 'bad project UUID, no secret', options: () => ({ projectId: 'nope', secret: null }) },
  { name: 'bad key UUID', options: () => ({}), apiKeyId: () => 'nope' },
  { name: 'bad key UUID, wrong secret', options: secretOf(() => 'x'), apiKeyId: () => 'nope' },
  { name: 'unknown key', options: () => ({}), apiKeyId: () => randomUUID() },
  {
    name: "another project's key",
    options: () => ({}),
    apiKeyId: ({ stranger }) => stranger.apiKey.apiKeyId,
  },
  { name: 'bad customer UUID', options: () => ({}), customerId: () => 'nope' },
  {
    name: 'bad customer UUID, wrong secret',
    options: secretOf(() => 'x'),
    customerId: () => 'nope',
  },
  { name: 'unknown customer', options: () => ({}), customerId: () => randomUUID() },
  {
    name: "another project's customer",
    options: () => ({}),
    customerId: ({ stranger }) => stranger.customerId,
  },
  { name: 'bad decision UUID', options: () => ({}), decisionId: () => 'nope' },
  {
    name: 'bad decision UUID, wrong secret',
    options: secretOf(() => 'x'),
    decisionId: () => 'nope',
  },
  { name: 'unknown decision', options: () => ({}), decisionId: () => newUuid() },
  { name: 'a UUID without a time', options: () => ({}), decisionId: () => randomUUID() },
  {
    name: "another project's decision",
    options: () => ({}),
    decisionId: ({ stranger }) => stranger.decisionId,
  },
  { name: 'malformed body', options: () => BAD_BODY },
  { name: 'malformed body, wrong secret', options: () => ({ ...BAD_BODY, secret: 'x' }) },
  { name: 'body over the cap', options: () => ({ body: `"${'x'.repeat(5_300_000)}"` }) },
  {
    name: 'body over the cap, wrong secret',
    options: () => ({ body: `"${'x'.repeat(5_300_000)}"`, secret: 'x' }),
  },
  {
    name: 'body of another content type',
    options: () => ({ body: '{}', headers: { 'content-type': 'text/plain' } }),
  },
];

/**
 * Every project route in every situation, and the open routes, with the status and error of each.
 * Routes with the same answers share a table.
 */
export async function routes(world: World, runtimeUrl: string): Promise<string> {
  const routesOf = new Map<string, string[]>();
  const list = (route: string, rows: string[][]) => {
    const table = tableOf(rows.map(([situation, answer = '']) => [`    ${situation}`, answer]));
    routesOf.set(table, [...(routesOf.get(table) ?? []), `  ${route}`]);
  };
  const stranger = await makeOwned(world);
  for (const route of Object.keys(PROJECT_ROUTES)) {
    const shared = await makeOwned(world);
    const applicable = SITUATIONS.filter((situation) => applies(route, situation));
    const answers = applicable.map(async (situation) => {
      const owned = situation.changes ? await makeOwned(world) : shared;
      const scene = { ...owned, world, stranger };
      const options = await situation.options(scene);
      const reply = await callIn(scene, situation, route, runtimeUrl, options);
      return [situation.name, answerOf(reply)];
    });
    const [method, below] = route.split(' ');
    list(`${method} /rt/projects/:projectId${below}`, await Promise.all(answers));
  }
  for (const route of OPEN_ROUTES) {
    const [method = '', path = ''] = route.split(' ');
    const of = async (headers: Record<string, string>) =>
      answerOf(await send(`${runtimeUrl}${path}`, method, { headers }));
    list(route, [
      ['no secret', await of({})],
      ['text that is not a secret', await of({ 'x-service-project-secret': 'letmein' })],
    ]);
  }
  return [...routesOf].map(([table, names]) => [...names, table].join('\n')).join('\n\n');
}

function applies(route: string, { name, apiKeyId, customerId, decisionId }: Situation): boolean {
  if (apiKeyId !== undefined) return route.includes(':apiKeyId');
  if (customerId !== undefined) return route.includes(':customerId');
  if (decisionId !== undefined) return route.includes(':decisionId');
  return !/body/.test(name) || !route.startsWith('GET');
}

async function makeOwned(world: World): Promise<Owned> {
  const project = await world.createProject();
  return {
    project,
    apiKey: await project.createKey(),
    customerId: (await project.createCustomer()).customerId,
    decisionId: await logDecision(world, project),
  };
}

/** The address names what the project owns, unless the situation says otherwise. */
function callIn(
  scene: Scene,
  situation: Situation,
  route: string,
  runtimeUrl: string,
  options: CallOptions,
): Promise<Reply> {
  const { project, apiKey, customerId, decisionId } = scene;
  const client = runtimeClient(runtimeUrl, project);
  if (route === FORWARD_AUTH) {
    return client.forwardAuth({ ...QUESTION, apiKey: apiKey.plaintext }, options);
  }
  const ids = {
    apiKeyId: situation.apiKeyId?.(scene) ?? apiKey.apiKeyId,
    customerId: situation.customerId?.(scene) ?? customerId,
    decisionId: situation.decisionId?.(scene) ?? decisionId,
  };
  const body = PROJECT_ROUTES[route]?.good(apiKey);
  return callRoute(client, route, ids, { ...(body && { body }), ...options });
}

/** The status; for an error also its code and the field that its message names. */
function answerOf({ status, text }: Reply): string {
  if (status < 400) return String(status);
  const { error, message } = JSON.parse(text);
  const [named = ''] = /^"\w+"/.exec(message) ?? [];
  return `${status} ${error} ${named}`.trim();
}
