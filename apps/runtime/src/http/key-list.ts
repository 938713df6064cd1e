import {
  type ApiKeyListResult,
  type apiKeyQuerySchema,
  metadataParameter,
  PAGE_DEFAULT,
} from '@ceiba/contract';
import { everyPage, findApiKeys, InvalidInputError } from '@ceiba/schema';
import { unauthorized } from '../errors.ts';
import { UnavailableError } from '../unavailable.ts';
import type { ProjectCall } from './project-routes.ts';
import { JsonText } from './replies.ts';

/** Reading and serialising so many keys takes a few ms. */
const KEYS_PER_PAGE = 500;
/** In ms. A page that takes longer counts as a database outage. */
const PAGE_MS_MAX = 250;

export type KeyListCall = Pick<ProjectCall, 'run' | 'deadline' | 'projectId' | 'pageReads'>;

type Query = typeof apiKeyQuerySchema;

/** A page where the query has a parameter; without one, the contract's list of all keys. */
export const listKeys = (call: ProjectCall<Query>): Promise<JsonText | ApiKeyListResult> =>
  Object.values(call.query).every((value) => value === undefined)
    ? listAllKeys(call)
    : listPage(call);

async function listPage({ run, projectId, query }: ProjectCall<Query>): Promise<ApiKeyListResult> {
  const { limit = PAGE_DEFAULT, cursor = null, customerId, status, search, ...rest } = query;
  const metadata = Object.fromEntries(
    Object.entries(rest).flatMap(([parameter, value]) => {
      const name = metadataParameter(parameter);
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
  const input = { projectId, limit, cursor, customerId, status, search, metadata };
  const page = await run(({ db }) => findApiKeys(db, input));
  return { apiKeys: page.items, nextCursor: page.next };
}

/**
 * Reads a list of any length in pages. From the second page on all lists share one FIFO queue, so
 * that many long lists leave room for decisions and for short lists.
 *
 * @returns an `ApiKeyListResult`
 */
export async function listAllKeys({
  run,
  deadline,
  projectId,
  pageReads,
}: KeyListCall): Promise<JsonText> {
  const read = async (cursor: string | null) => {
    if (deadline.remainingMs() < PAGE_MS_MAX) {
      throw new UnavailableError(
        'overload',
        'no time was left to list all keys (KEY_ROUTE_DEADLINE_MS)',
      );
    }
    return run(({ db }) => findApiKeys(db, { projectId, cursor, limit: KEYS_PER_PAGE }));
  };
  const pages = everyPage((cursor) =>
    cursor === null
      ? read(cursor)
      : deadline.race(
          'overload',
          pageReads.run(() => read(cursor)),
        ),
  );
  const texts: string[] = [];
  try {
    for await (const keys of pages) for (const apiKey of keys) texts.push(JSON.stringify(apiKey));
  } catch (error) {
    // No key of the cursor: keys disappear only together with their project.
    throw error instanceof InvalidInputError ? unauthorized() : error;
  }
  return new JsonText(`{"apiKeys":[${texts.join(',')}]}`);
}
