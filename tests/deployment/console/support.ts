import { randomBytes, randomUUID } from 'node:crypto';
import { mintAccessToken, mintProjectSecret, type TokenAccess } from '@ceiba/domain';
import {
  createAccessToken,
  createDatabase,
  createProject,
  createUser,
  type Database,
  findUserById,
  type VerbContext,
} from '@ceiba/schema';
import { startConsole } from '../../e2e/console-process.ts';
import { type Ran, type RunOptions, runCeiba } from '../../integration/cli/support.ts';
import { createTestDatabase } from '../../support/database.ts';

export interface TokenOptions {
  access?: TokenAccess;
  projectIds?: readonly string[] | null;
}

export interface MadeToken {
  tokenId: string;
  name: string;
  /** Its plaintext. */
  token: string;
}

/** A database of its own with a console, and accounts with access tokens. */
export interface ManagedConsole {
  readonly url: string;
  readonly databaseUrl: string;
  readonly db: Database;
  /** As the operator. */
  readonly ctx: VerbContext;
  /** Creates an account, the first of which is the administrator. @returns its id */
  user(email?: string): Promise<string>;
  /** Creates an access token. */
  token(userId: string, options?: TokenOptions): Promise<MadeToken>;
  /** Creates a project. @returns its id */
  project(ownerId: string, name: string): Promise<string>;
  /** Runs a command through the console. */
  ceiba(token: string, args: readonly string[], options?: RunOptions): Promise<Ran>;
  stop(): Promise<void>;
}

/** @param settings of the console, beside its database */
export async function startManagedConsole(
  settings: Record<string, string> = {},
): Promise<ManagedConsole> {
  const database = await createTestDatabase();
  const db = createDatabase(database.url, { maxConnections: 4 });
  const app = await startConsole({ DATABASE_URL: database.url, ...settings });
  const ctx: VerbContext = { db, actor: { kind: 'cli' }, clientAddress: null, requestId: null };
  return {
    url: app.url,
    databaseUrl: database.url,
    db,
    ctx,
    async user(email = `${randomUUID()}@example.com`) {
      const created = await createUser(ctx, { email, passwordHash: 'x' });
      if (created.kind !== 'created') throw new Error(created.kind);
      return created.userId;
    },
    async token(userId, { access = 'write', projectIds = null } = {}) {
      const user = await findUserById(db, userId);
      if (user === null) throw new Error('no such user');
      const minted = mintAccessToken(randomBytes);
      const name = `token ${randomUUID()}`;
      const created = await createAccessToken(
        { ...ctx, actor: { kind: 'user', userId, email: user.email } },
        { ...user, name, access, projectIds, days: 7, minted },
      );
      if (created.kind !== 'created') throw new Error(created.kind);
      return { tokenId: created.tokenId, name, token: minted.plaintext };
    },
    async project(ownerId, name) {
      const created = await createProject(ctx, {
        ownerId,
        name,
        secret: mintProjectSecret(randomBytes),
      });
      if (created.kind !== 'created') throw new Error(created.kind);
      return created.projectId;
    },
    ceiba: (token, args, options = {}) =>
      runCeiba(args, {
        ...options,
        env: { CEIBA_SERVER: app.url, CEIBA_TOKEN: token, ...options.env },
      }),
    async stop() {
      await app.stop();
      await db.close();
      await database.drop();
    },
  };
}
