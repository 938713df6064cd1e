import type { Database } from './database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from './server.ts';

/** Resolves when the server answers as a primary; rejects otherwise. */
export async function pingDatabase(db: Database): Promise<void> {
  const [row] = await db.sql.unsafe<ServerEvidence[]>(`select ${SERVER_EVIDENCE}`);
  requirePrimary(db, row);
}
