import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Project } from '@ceiba/schema';
import type { Query } from '../lib/list-query.ts';
import { DatabaseUnavailableError, unlessTooSlow } from './database.ts';
import { log } from './log.ts';
import { requireProject } from './project.ts';

/** A route that answers 503 where the database does not, or not in time, until its answer begins. */
export function dataRoute<Context>(
  handle: (query: Query, request: Request, context: Context) => Promise<Response>,
): (request: Request, context: Context) => Promise<Response> {
  return async (request, context) => {
    try {
      const query = Object.fromEntries(new URL(request.url).searchParams);
      return await handle(query, request, context);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      log.error({ err: error }, 'route.database_unavailable');
      const text = TEXTS[await unlessTooSlow(error).catch(() => 'unavailable' as const)];
      return new Response(`${text}\n`, { status: 503, headers: { 'retry-after': '5' } });
    }
  };
}

const TEXTS = {
  too_many: 'Too many of your requests are under way. Try again in a moment.',
  too_slow: 'This takes too long. Narrow the time range or drop a filter.',
  unavailable: 'The database is not answering. Try again in a moment.',
} as const;

/** As {@link dataRoute}, of a project, for every role. */
export const projectRoute = (
  handle: (project: Project, query: Query, request: Request) => Promise<Response>,
) =>
  dataRoute<{ params: Promise<{ projectId: string }> }>(async (query, request, { params }) => {
    const { project } = await requireProject((await params).projectId);
    return handle(project, query, request);
  });

/** A body of text that is made while it is read. An error aborts it; where it is not read to its end, `parts` returns. */
export function streamOf(parts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  // A stream is read outside the request, whose cookie says in whose share of the database it reads.
  const inRequest = AsyncLocalStorage.snapshot();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await inRequest(() => parts.next());
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}
