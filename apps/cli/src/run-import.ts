import { listApiKeys, type RowProblem } from '@ceiba/manage';
import { CliError } from './errors.ts';
import { type Perform, performing } from './operate.ts';
import { progressOf } from './progress.ts';
import { printAdvice, printJson, printLines, type World } from './world.ts';

/** The options of a command that imports a file. */
export interface ImportOptions {
  project: string;
  dryRun?: true;
  json?: true;
}

/** What an import is called with, apart from its rows. */
export interface ImportInput {
  projectId: string;
  /** Finds the same result and changes nothing. */
  isDryRun: boolean;
  /** Called with the number of rows that are done. */
  onProgress(done: number): void;
}

/** The import of a file, and how its result is printed. */
interface FileImport<Result extends { readonly refused: readonly RowProblem[] }> {
  /** How many rows it has, and what they are. */
  total: number;
  items: 'rows' | 'keys';
  run(perform: Perform, input: ImportInput): Promise<Result>;
  /** Where a refused row is in the file, and which it is. */
  placeOf(refused: Result['refused'][number]): string;
  linesOf(result: Result): string[];
  /** What follows a run that was no dry run. */
  advice?: string;
  /** What the rows are that were not refused; completes "the others are". */
  done: string;
}

/** Imports a file and prints the result. @throws CliError where a row was refused */
export async function runImport<Result extends { readonly refused: readonly RowProblem[] }>(
  world: World,
  { project: projectId, dryRun, json }: ImportOptions,
  { total, items, run, placeOf, linesOf, advice, done }: FileImport<Result>,
): Promise<void> {
  const isDryRun = dryRun === true;
  const progress = progressOf(world, total, items);
  let count = 0;
  const onProgress = (now: number) => {
    count = now;
    progress.update(now);
  };
  const result = await performing(world, async (perform) => {
    // Finds the project before it says that it stopped.
    await perform(listApiKeys, { projectId, limit: 1 });
    return run(perform, { projectId, isDryRun, onProgress }).catch((error) => {
      progress.clear();
      const remedy = isDryRun ? '' : ' Run this again: it goes on where it stopped.';
      printAdvice(world, `Stopped after ${count} of ${total} ${items}.${remedy}`);
      throw error;
    });
  });
  progress.clear();
  const { refused } = result;
  for (const row of refused) {
    printAdvice(world, `refused  ${placeOf(row)}: ${row.field ?? 'the row'} ${row.problem}`);
  }
  const last = isDryRun ? 'A dry run: nothing was changed.' : advice;
  if (json) printJson(world, { isDryRun, ...result });
  else printLines(world, [...linesOf(result), ...(last === undefined ? [] : ['', last])]);
  if (refused.length === 0) return;
  throw new CliError(
    `${refused.length} of ${total} ${items} ${refused.length === 1 ? 'was' : 'were'} refused; the others ${isDryRun ? 'would be' : 'are'} ${done}.`,
    1,
    'rows_refused',
  );
}
