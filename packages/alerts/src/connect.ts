import { type Database, DatabaseClient } from '@ceiba/schema';

/** Longer than the statements of background work take, in ms. */
const BUDGET_MS = 10_000;

export interface ConnectOptions {
  databaseUrl: string;
  /** Of the process, as Postgres lists its connections. */
  applicationName: string;
}

/** Connections of one kind of background work, which runs each of its verbs within one budget. */
export function connect({ databaseUrl, applicationName }: ConnectOptions, maxConnections: number) {
  const client = new DatabaseClient(databaseUrl, {
    applicationName,
    maxConnections,
    // Postgres cancels a slow statement before its caller gives up, so that it fails alone.
    statementTimeoutMs: BUDGET_MS * 0.8,
    verifyPrimaryAfterMs: 1_000,
    isPatient: true,
    isLateAlone: true,
  });
  return <T>(work: (db: Database) => Promise<T>) => client.run(BUDGET_MS, work);
}
