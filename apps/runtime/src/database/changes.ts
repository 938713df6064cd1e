import { FairShare } from '@ceiba/process/fair-share';
import type { Database } from '@ceiba/schema';
import type { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import type { DatabasePool } from './pool.ts';

/**
 * Runs the changes of projects. Those of one project wait for each other's locks in Postgres, so each
 * has a share of the connections: a further change waits here for one of its project's to end.
 */
export class Changes {
  readonly #pool: DatabasePool;
  readonly #shares: FairShare;

  /** @param atOnce how many changes of one project run at once */
  constructor(pool: DatabasePool, atOnce: number) {
    this.#pool = pool;
    this.#shares = new FairShare(atOnce, 0, () => {
      return new UnavailableError('overload', 'this project has too many changes under way');
    });
  }

  /** @throws as the pool; UnavailableError where no place became free by the deadline */
  async run<T>(
    projectId: string,
    deadline: Deadline,
    work: (db: Database) => Promise<T>,
  ): Promise<T> {
    const leave = await this.#shares.enter(projectId, deadline.remainingMs());
    let underWay: Promise<unknown> = Promise.resolve();
    try {
      return await this.#pool.run(deadline.remainingMs(), (db) => {
        const answer = work(db);
        underWay = answer.catch(() => {});
        return answer;
      });
    } finally {
      // A late change keeps its place until its statements are over.
      void underWay.then(leave);
    }
  }
}
