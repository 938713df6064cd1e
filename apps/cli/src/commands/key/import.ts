import { type Command, InvalidArgumentError } from 'commander';
import { nameOfInput, readInput } from '../../input-file.ts';
import { type ImportedKeys, importRows } from '../../key-import/import.ts';
import { REFUSED_SOURCES, SOURCES, type SourceName } from '../../key-import/sources.ts';
import { uuid } from '../../options.ts';
import { type ImportOptions, runImport } from '../../run-import.ts';
import type { World } from '../../world.ts';

interface ImportKeysOptions extends ImportOptions {
  from: SourceName;
  linkCustomers?: true;
}

/** Several hundred thousand keys. */
const FILE_MEBIBYTES_MAX = 256;

/** Adds `ceiba key import`. */
export function importKeysCommand(key: Command, world: World): void {
  key
    .command('import')
    .description('take over the keys of another issuer by their digests; safe to repeat')
    .argument('<file>', 'what the issuer exports; - reads standard input')
    .requiredOption('--project <id>', 'the project', uuid)
    .requiredOption('--from <source>', Object.keys(SOURCES).join(', '), source)
    .option(
      '--link-customers',
      "give each key to the customer whose external id is the key's owner",
    )
    .option('--dry-run', 'find out what would happen, and change nothing')
    .option('--json', 'print the counts and the refused keys as JSON')
    .addHelpText(
      'after',
      '\nPlaintexts, which only csv and kong have, are hashed here: they are neither sent nor stored.\n' +
        'A secret that a rotation has replaced stays refused when the import is repeated.\n' +
        'A key that is refused leaves the others, and the command exits with 1.',
    )
    .action((file: string, options: ImportKeysOptions) => importFile(world, file, options));
}

function source(text: string): SourceName {
  const known = Object.keys(SOURCES).find((name): name is SourceName => name === text);
  if (known !== undefined) return known;
  throw new InvalidArgumentError(
    REFUSED_SOURCES.get(text) ?? `It must be one of ${Object.keys(SOURCES).join(', ')}.`,
  );
}

async function importFile(world: World, path: string, options: ImportKeysOptions): Promise<void> {
  const { from, linkCustomers } = options;
  const limits = { mebibytesMax: FILE_MEBIBYTES_MAX, field: 'file' };
  const text = await readInput(world, path, limits);
  const rows = SOURCES[from](nameOfInput(path), text, { linksCustomers: linkCustomers === true });
  await runImport(world, options, {
    total: rows.length,
    items: 'keys',
    run: (perform, input) => importRows(perform, { ...input, rows }),
    placeOf: ({ row, name }) => `row ${row}${name && ` (${name})`}`,
    linesOf,
    advice:
      'Imported keys are as strong as their issuer made them: replace them with ceiba key rotate.',
    done: 'there',
  });
}

const linesOf = (result: ImportedKeys): string[] => [
  `imported  ${result.imported}`,
  `present   ${result.present}`,
  ...(result.deleted > 0 ? [`deleted   ${result.deleted}`] : []),
  ...(result.rootKeys > 0 ? [`root keys ${result.rootKeys}, skipped`] : []),
  `refused   ${result.refused.length}`,
  ...Object.entries(result.leftOut).map(([what, count]) => `left out  ${count}: ${what}`),
];
