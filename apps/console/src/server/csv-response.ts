import 'server-only';
import { type CsvCell, csvLine } from './csv.ts';
import { log } from './log.ts';

/** So that a spreadsheet reads UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * A CSV file that is written while it is read. A fault midway breaks the download off, so that half
 * a file is never taken for a whole one.
 *
 * @param fileName of letters, digits and hyphens
 * @param head plain names of columns, which stay bare: behind the mark a quote would begin no cell
 */
export function csvResponse(
  fileName: string,
  head: readonly string[],
  pages: AsyncGenerator<CsvCell[][]>,
): Response {
  const encoder = new TextEncoder();
  let isBegun = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!isBegun) {
        isBegun = true;
        controller.enqueue(encoder.encode(`${BYTE_ORDER_MARK}${head.join(',')}\r\n`));
        return;
      }
      try {
        const { done, value } = await pages.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value.map(csvLine).join('')));
      } catch (fault) {
        log.error('csv.broken_off', { fault });
        controller.error(fault);
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
