import { listApiKeys } from '@ceiba/manage';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError } from '../../errors.ts';
import { nameOfInput, readInput } from '../../input-file.ts';
import { type ImportedKeys, importRows, type RefusedKey } from '../../key-import/import.ts';
import { REFUSED_SOURCES, SOURCES, type SourceName } from '../../key-import/sources.ts';
import { performing } from '../../operate.ts';
import { uuid } from '../../options.ts';
import { progressOf } from '../../progress.ts';
import { printAdvice, printJson, printLines, type World } from '../../world.ts';

interface ImportOptions {
  project: string;
  from: SourceName;
  linkCustomers?: true;
  dryRun?: true;
  json?: true;
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
    .action((file: string, options: ImportOptions) => importFile(world, file, options));
}

function source(text: string): SourceName {
  const known = Object.keys(SOURCES).find((name): name is SourceName => name === text);
  if (known !== undefined) return known;
  throw new InvalidArgumentError(
    REFUSED_SOURCES.get(text) ?? `It must be one of ${Object.keys(SOURCES).join(', ')}.`,
  );
}

async function importFile(world: World, path: string, options: ImportOptions): Promise<void> {
  const { project: projectId, from, linkCustomers, json, dryRun } = options;
  const limits = { mebibytesMax: FILE_MEBIBYTES_MAX, field: 'file' };
  const text = await readInput(world, path, limits);
  const rows = SOURCES[from](nameOfInput(path), text, { linksCustomers: linkCustomers === true });
  const progress = progressOf(world, rows.length, 'keys');
  let done = 0;
  const onProgress = (count: number) => {
    done = count;
    progress.update(count);
  };
  const result = await performing(world, async (perform) => {
    // Finds the project before it says that it stopped.
    await perform(listApiKeys, { projectId, limit: 1 });
    const input = { projectId, rows, isDryRun: dryRun === true, onProgress };
    return importRows(perform, input).catch((error) => {
      progress.clear();
      const remedy = dryRun ? '' : ' Run this again: it goes on where it stopped.';
      printAdvice(world, `Stopped after ${done} of ${rows.length} keys.${remedy}`);
      throw error;
    });
  });
  progress.clear();
  for (const refused of result.refused) printAdvice(world, `refused  ${textOf(refused)}`);
  if (json) printJson(world, { isDryRun: dryRun === true, ...result });
  else printLines(world, summaryOf(result, dryRun === true));
  if (result.refused.length > 0) throw keysRefused(result, rows.length, dryRun === true);
}

const textOf = ({ row, name, field, problem }: RefusedKey) =>
  `row ${row}${name && ` (${name})`}: ${field ?? 'the row'} ${problem}`;

const summaryOf = (result: ImportedKeys, isDryRun: boolean): string[] => [
  `imported  ${result.imported}`,
  `present   ${result.present}`,
  ...(result.deleted > 0 ? [`deleted   ${result.deleted}`] : []),
  ...(result.rootKeys > 0 ? [`root keys ${result.rootKeys}, skipped`] : []),
  `refused   ${result.refused.length}`,
  ...Object.entries(result.leftOut).map(([what, count]) => `left out  ${count}: ${what}`),
  '',
  isDryRun
    ? 'A dry run: nothing was changed.'
    : 'Imported keys are as strong as their issuer made them: replace them with ceiba key rotate.',
];

const keysRefused = ({ refused }: ImportedKeys, of: number, isDryRun: boolean) =>
  new CliError(
    `${refused.length} of ${of} keys ${refused.length === 1 ? 'was' : 'were'} refused; the others ${isDryRun ? 'would be' : 'are'} there.`,
    1,
    'rows_refused',
  );
