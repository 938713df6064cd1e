import { listApiKeyPage } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';
import type { Call } from './key-routes.ts';
import { unauthorized } from './project-secret.ts';
import { JsonText } from './replies.ts';

/** Read and written as JSON in a few ms. */
const KEYS_A_PAGE = 500;
/** A page that took longer would pass for a database that has gone away, in ms. */
const LONGEST_PAGE_MS = 250;

/** One at a time, in the order of asking. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/**
 * A list has no end that a cap would set, so it is read in pages. From the second page on lists
 * take turns, so that however many long ones are asked for leave room for decisions and for the
 * lists of others.
 *
 * @returns an `ApiKeyListResult`
 */
export async function listKeys({ run, deadline, projectId, turns }: Call): Promise<JsonText> {
  const read = (after: string | null) => {
    if (deadline.remainingMs() < LONGEST_PAGE_MS) {
      throw new UnavailableError(
        'overload',
        'no time was left to list all keys (KEY_ROUTE_DEADLINE_MS)',
      );
    }
    return run(({ db }) => listApiKeyPage(db, { projectId, after, limit: KEYS_A_PAGE }));
  };
  const texts: string[] = [];
  let page = await read(null);
  while (page !== null) {
    for (const apiKey of page) texts.push(JSON.stringify(apiKey));
    const last = page.at(-1);
    if (page.length < KEYS_A_PAGE || last === undefined) break;
    const next = turns.take(async () => read(last.apiKeyId));
    page = await deadline.race('overload', next);
  }
  // Keys go with their project alone.
  if (page === null) throw unauthorized();
  return new JsonText(`{"apiKeys":[${texts.join(',')}]}`);
}
