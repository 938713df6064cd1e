import 'server-only';
import { randomInt } from 'node:crypto';
import { type Database, DatabaseClient, DatabaseUnavailableError } from '@ceiba/schema';
import { env } from '../env.ts';
import { outageReference } from '../lib/outage.ts';
import { printable } from './printable-error.ts';

/**
 * The share of a budget that one statement gets. Postgres cancels a slow statement before the budget
 * is over, so that it fails alone and the connections of others stay.
 */
const STATEMENT_SHARE = 0.8;

/**
 * A client that is created on first use, because `next build` imports routes without a database. A
 * call counts as late whatever it does with its time, so do nothing but query in it.
 */
export class Pool {
  #client: DatabaseClient | undefined;

  constructor(
    private readonly maxConnections: number,
    protected readonly budgetMs: number,
  ) {}

  async run<T>(work: (db: Database) => Promise<T>, budgetMs = this.budgetMs): Promise<T> {
    this.#client ??= new DatabaseClient(env().databaseUrl, {
      applicationName: 'ceiba-console',
      maxConnections: this.maxConnections,
      statementTimeoutMs: this.budgetMs * STATEMENT_SHARE,
      verifyPrimaryAfterMs: 1_000,
      isPatient: true,
      isLateAlone: true,
    });
    try {
      return await this.#client.run(budgetMs, work);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw printable(error);
      const outage = new DatabaseUnavailableError(error.message, { cause: printable(error.cause) });
      throw Object.assign(outage, { digest: outageReference(randomInt(1e9)) });
    }
  }
}
