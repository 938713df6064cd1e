import { randomBytes } from 'node:crypto';
import { mintApiKey, mintProjectSecret } from '@ceiba/domain';
import {
  createApiKey,
  createDatabase,
  createPolicy,
  createProject,
  createUser,
  putPlan,
  setSubscription,
  type VerbContext,
} from '@ceiba/schema';

const NO_LIMIT = 2_147_483_647;

/** A project's questions, ready to be sent: one request for each of its keys. */
export interface Asking {
  requests: string[];
}

/** Creates two projects with limits that no run reaches. @throws Error unless the database is empty */
export async function seedTwoProjects(
  databaseUrl: string,
  keysOfEach: number,
): Promise<[Asking, Asking]> {
  const db = createDatabase(databaseUrl);
  const ctx: VerbContext = { db, actor: { kind: 'system' }, clientAddress: null, requestId: null };
  try {
    const owner = await createUser(ctx, { email: 'bench@example.com', passwordHash: null });
    if (owner.kind !== 'created') throw new Error('the database is not empty');
    const limits = { activeKeyCap: NO_LIMIT, rateLimitPerMinute: NO_LIMIT, monthlyQuota: NO_LIMIT };
    const { planId } = await putPlan(ctx, { name: 'Bench', ...limits });
    const seed = async (name: string) => {
      const secret = mintProjectSecret(randomBytes);
      const project = await createProject(ctx, { ownerId: owner.userId, name, secret });
      if (project.kind !== 'created') throw new Error('the database is not empty');
      const { projectId } = project;
      await setSubscription(ctx, { projectId, planId });
      await createPolicy(ctx, { projectId, method: 'GET', pathPattern: '/v1/reports*' });
      const requests: string[] = [];
      for (let key = 0; key < keysOfEach; key += 1) {
        const minted = mintApiKey(randomBytes);
        await createApiKey(ctx, { projectId, displayName: 'bench', mint: () => minted });
        requests.push(requestOf(projectId, secret.plaintext, minted.plaintext));
      }
      return { requests };
    };
    return [await seed('one'), await seed('other')];
  } finally {
    await db.close();
  }
}

function requestOf(projectId: string, secret: string, apiKey: string): string {
  const body = JSON.stringify({ apiKey, method: 'GET', path: '/v1/reports/42' });
  const head = [
    `POST /rt/projects/${projectId}/authorize HTTP/1.1`,
    'host: runtime',
    'content-type: application/json',
    `content-length: ${body.length}`,
    `x-service-project-secret: ${secret}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
