import type { Command } from 'commander';
import { readCustomers } from '../../customer/csv.ts';
import { importRows } from '../../customer/import.ts';
import { nameOfInput, readInput } from '../../input-file.ts';
import { uuid } from '../../options.ts';
import { type ImportOptions, runImport } from '../../run-import.ts';
import type { World } from '../../world.ts';

/** Several hundred thousand customers. */
const FILE_MEBIBYTES_MAX = 64;

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
  const limits = { mebibytesMax: FILE_MEBIBYTES_MAX, field: 'file' };
  const rows = readCustomers(nameOfInput(path), await readInput(world, path, limits));
  await runImport(world, options, {
    total: rows.length,
    items: 'rows',
    run: (perform, input) => importRows(perform, { ...input, rows }),
    placeOf: ({ line, externalId }) => `line ${line}${externalId && ` (${externalId})`}`,
    linesOf: ({ created, unchanged, refused }) => [
      `created    ${created}`,
      `unchanged  ${unchanged}`,
      `refused    ${refused.length}`,
    ],
    done: 'as the file says',
  });
}
