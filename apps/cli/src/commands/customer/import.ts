import { listCustomers } from '@ceiba/manage';
import type { Command } from 'commander';
import { readCustomers } from '../../customer/csv.ts';
import { type Imported, importRows, type Refused } from '../../customer/import.ts';
import { CliError } from '../../errors.ts';
import { nameOfInput, readInput } from '../../input-file.ts';
import { performing } from '../../operate.ts';
import { uuid } from '../../options.ts';
import { printAdvice, printJson, printLines, type World } from '../../world.ts';

interface ImportOptions {
  project: string;
  dryRun?: true;
  json?: true;
}

/** Several hundred thousand customers. */
const FILE_MEBIBYTES_MAX = 64;
/** At most so many reports, and at least so many rows between two. */
const REPORTS_MAX = 20;
const ROWS_PER_REPORT_MIN = 100;

/** Adds `ceiba customer import`. */
export function importCustomersCommand(customer: Command, world: World): void {
  customer
    .command('import')
    .description('create customers from a CSV file; safe to repeat')
    .argument(
      '<file>',
      "the file, with columns named as the route's fields; - reads standard input",
    )
    .requiredOption('--project <id>', 'the project', uuid)
    .option('--dry-run', 'find out what would happen, and change nothing')
    .option('--json', 'print the counts and the refused rows as JSON')
    .addHelpText(
      'after',
      '\nA row of an external id that is there is compared with that customer: a difference is refused.\n' +
        'A row that is refused leaves the others, and the command exits with 1.',
    )
    .action((file: string, options: ImportOptions) => importFile(world, file, options));
}

async function importFile(world: World, path: string, options: ImportOptions): Promise<void> {
  const { project: projectId, json, dryRun } = options;
  const limits = { mebibytesMax: FILE_MEBIBYTES_MAX, field: 'file' };
  const rows = readCustomers(nameOfInput(path), await readInput(world, path, limits));
  const rowsPerReport = Math.max(ROWS_PER_REPORT_MIN, Math.ceil(rows.length / REPORTS_MAX));
  let done = 0;
  const onRow = (_: Imported, refused: Refused | null) => {
    done += 1;
    if (refused !== null) printAdvice(world, `refused  ${textOf(refused)}`);
    if (done % rowsPerReport === 0) printAdvice(world, `${done} of ${rows.length} rows`);
  };
  const imported = await performing(world, async (perform) => {
    // Finds the project before it says that it stopped.
    await perform(listCustomers, { projectId, limit: 1 });
    const input = { projectId, rows, isDryRun: dryRun === true, onRow };
    return importRows(perform, input).catch((error) => {
      const remedy = dryRun ? '' : ' Run this again: it goes on where it stopped.';
      printAdvice(world, `Stopped after ${done} of ${rows.length} rows.${remedy}`);
      throw error;
    });
  });
  const { created, unchanged, refused } = imported;
  if (json) printJson(world, { isDryRun: dryRun === true, created, unchanged, refused });
  else {
    printLines(world, [
      `created    ${created}`,
      `unchanged  ${unchanged}`,
      `refused    ${refused.length}`,
      ...(dryRun ? ['', 'A dry run: nothing was changed.'] : []),
    ]);
  }
  if (refused.length > 0) throw rowsRefused(refused.length, rows.length, dryRun === true);
}

const textOf = ({ line, externalId, field, problem }: Refused) =>
  `line ${line}${externalId && ` (${externalId})`}: ${field ?? 'the row'} ${problem}`;

const rowsRefused = (count: number, of: number, isDryRun: boolean) =>
  new CliError(
    `${count} of ${of} rows ${count === 1 ? 'was' : 'were'} refused; the others ${isDryRun ? 'would be' : 'are'} as the file says.`,
    1,
    'rows_refused',
  );
