import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Project } from '@ceiba/schema';
import type { NextRequest } from 'next/server';
import { utcDay } from '../lib/instant.ts';
import type { Query } from '../lib/list-query.ts';
import { DatabaseUnavailableError, unlessTooSlow } from './database.ts';
import { log } from './log.ts';
import { requireProject } from './project.ts';

/** Text that a spreadsheet would run as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

export type CsvCell = string | number | null;

/**
 * One line of a CSV file (RFC 4180). Text that looks like a formula gets an apostrophe in front;
 * numbers stay as they are. All text is quoted, because a spreadsheet that splits at `;` could find
 * a formula inside unquoted text.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}

/** Makes spreadsheets read UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

const TOO_SLOW = 'This takes too long. Narrow the time range or drop a filter.';

/** A route that answers 503 during a database outage, and when its first rows take too long. */
export function csvRoute<Context>(
  handle: (request: NextRequest, context: Context) => Promise<Response>,
): (request: NextRequest, context: Context) => Promise<Response> {
  return async (request, context) => {
    try {
      return await handle(request, context);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      log.error({ err: error }, 'csv.database_unavailable');
      const isTooSlow = (await unlessTooSlow(error).catch(() => null)) !== null;
      const text = isTooSlow ? TOO_SLOW : 'The database is not answering. Try again in a moment.';
      return new Response(`${text}\n`, { status: 503, headers: { 'retry-after': '5' } });
    }
  };
}

/** As {@link csvRoute}, for what a project has; every role may download it. */
export const projectCsvRoute = (handle: (project: Project, query: Query) => Promise<Response>) =>
  csvRoute<{ params: Promise<{ projectId: string }> }>(async (request, { params }) => {
    const { project } = await requireProject((await params).projectId);
    return handle(project, Object.fromEntries(request.nextUrl.searchParams));
  });

/**
 * The columns of a file, in their order: a plain name, which is not quoted, because after the byte order
 * mark a quote would not start a cell, and its cell of each row.
 */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => CsvCell>>;

/**
 * Streams a CSV file. Its first rows are read before it answers, so that their error has an answer of
 * its own. A later error aborts the download, so that a part is never mistaken for the whole file.
 *
 * @param fileName letters, digits and hyphens
 */
export async function csvResponse<Row>(
  fileName: string,
  columns: CsvColumns<Row>,
  pages: AsyncGenerator<Row[]>,
): Promise<Response> {
  const cells = Object.values(columns);
  const lineOf = (row: Row) => csvLine(cells.map((cellOf) => cellOf(row)));
  const encoder = new TextEncoder();
  // Later rows are read outside the request, whose cookie says in whose share of the database they count.
  const inRequest = AsyncLocalStorage.snapshot();
  let first: IteratorResult<Row[]> | undefined = await pages.next();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`${BYTE_ORDER_MARK}${Object.keys(columns).join(',')}\r\n`));
    },
    async pull(controller) {
      try {
        const { done, value } = first ?? (await inRequest(() => pages.next()));
        first = undefined;
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value.map(lineOf).join('')));
      } catch (error) {
        log.error({ err: error }, 'csv.aborted');
        controller.error(error);
      }
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}.csv"`,
      'cache-control': 'no-store',
    },
  });
}

/** The day in the name of a file. */
export const csvDay = (): string => utcDay(new Date());
