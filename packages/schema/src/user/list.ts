import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { hasText, keyset, type Page, type PageRequest, readPage, UUID_ID } from '../page.ts';
import { toMs } from '../time.ts';
import { hasApp } from './second-factor-state.ts';

/** A user as an administrator sees them. */
export interface UserRow {
  userId: string;
  email: string;
  isAdministrator: boolean;
  /** False for a user who signs in through a provider only. */
  hasPassword: boolean;
  /** The providers through which they can sign in. */
  providers: string[];
  /** Whether a password needs a code of an authenticator app after it. */
  hasSecondFactor: boolean;
  passkeys: number;
  projects: number;
  createdAt: Date;
}

export interface ListUsersInput extends PageRequest {
  /** Part of the address. */
  text?: string;
}

/** One page of users, newest first, and the total that match. */
export async function listUsers(
  db: { orm: Executor },
  { text, ...request }: ListUsersInput,
): Promise<Page<UserRow> & { total: number }> {
  const matches = hasText(sql`u.email`, text);
  const page = await readPage(
    request,
    { idOf: (user: UserRow) => user.userId, idFormat: UUID_ID },
    (place, count) => {
      const { orderBy, beyond = sql`true` } = keyset(place, {
        value: sql`u.created_at`,
        id: sql`u.id`,
        descending: true,
        rowAt: (id) => sql`(select at.created_at, at.id from users at where at.id = ${id})`,
      });
      return readRows(db, sql`${matches} and ${beyond}`, orderBy, count);
    },
  );
  const [counted] = await db.orm.execute<{ total: number }>(
    sql`select count(*)::int as total from users u where ${matches}`,
  );
  return { ...page, total: counted?.total ?? 0 };
}

async function readRows(
  db: { orm: Executor },
  where: SQL,
  orderBy: SQL[],
  limit: number,
): Promise<UserRow[]> {
  const rows = await db.orm.execute<Omit<UserRow, 'createdAt'> & { createdAtMs: number }>(sql`
    select u.id as "userId", u.email, u.is_administrator as "isAdministrator",
      u.password_hash is not null as "hasPassword",
      (select coalesce(json_agg(distinct i.provider), '[]') from identities i
        where i.user_id = u.id) as providers,
      ${hasApp(sql`u`)} as "hasSecondFactor",
      (select count(*)::int from passkeys k where k.user_id = u.id) as passkeys,
      (select count(*)::int from projects p where p.owner_id = u.id) as projects,
      ${toMs(sql`u.created_at`)} as "createdAtMs"
    from users u where ${where} order by ${sql.join(orderBy, sql`, `)} limit ${limit}`);
  return rows.map(({ createdAtMs, ...row }) => ({ ...row, createdAt: new Date(createdAtMs) }));
}
