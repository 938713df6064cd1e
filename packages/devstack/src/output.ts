import { codeOf, LauncherError, messageOf, StoppedError } from './errors.ts';

const decorated = process.stdout.isTTY === true && !process.env.NO_COLOR;

const style = (code: number) => (text: string) =>
  decorated ? `\u001b[${code}m${text}\u001b[0m` : text;

export const bold = style(1);
export const dim = style(2);
export const red = style(31);
export const green = style(32);
export const cyan = style(36);

export function print(line = '') {
  clearStatus();
  process.stdout.write(`${line}\n`);
  showStatus();
}

/** @returns The time since a reading of `performance.now()`, such as `1.4 s`. */
export function durationSince(startedAtMs: number): string {
  return `${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`;
}

/**
 * Runs a task and prints one line with its duration when it is done. On a terminal, the last line
 * shows the tasks in progress.
 *
 * @param label Such as `Packages` or `Build`.
 * @param describe A short text about the result, printed beside the label.
 */
export async function step<T>(
  label: string,
  work: () => Promise<T>,
  describe: (result: T) => string = () => '',
): Promise<T> {
  const startedAtMs = performance.now();
  underWay.set(label, startedAtMs);
  showStatus();
  try {
    const result = await work();
    underWay.delete(label);
    const detail = describe(result);
    const padding = ' '.repeat(Math.max(2, 64 - label.padEnd(14).length - detail.length));
    print(
      `  ${green('✓')} ${label.padEnd(14)}${dim(detail + padding + durationSince(startedAtMs))}`,
    );
    return result;
  } catch (error) {
    underWay.delete(label);
    if (!(error instanceof StoppedError)) print(`  ${red('✗')} ${label}`);
    throw error;
  }
}

const underWay = new Map<string, number>();
const ticker = decorated ? setInterval(showStatus, 1000) : undefined;
ticker?.unref();

function showStatus() {
  clearStatus();
  if (!decorated || underWay.size === 0) return;
  const labels = [...underWay].map(([label, startedAtMs]) => {
    return `${label} ${Math.round((performance.now() - startedAtMs) / 1000)} s`;
  });
  process.stdout.write(dim(`  … ${labels.join(', ')}`));
}

function clearStatus() {
  if (decorated) process.stdout.write('\r\u001b[K');
}

/** Prints the error that ended a command, with its stack unless it is one that the user can act on. */
export function printFailure(error: unknown) {
  print();
  if (codeOf(error)?.startsWith('ERR_PARSE_ARGS')) {
    print(`  ${red(messageOf(error))}`);
    return;
  }
  if (!(error instanceof LauncherError)) {
    print(`  ${red(error instanceof Error ? (error.stack ?? error.message) : messageOf(error))}`);
    return;
  }
  print(`  ${red(error.message)}`);
  if (error.output) print(error.output.trimEnd().replace(/^/gm, `  ${dim('│')} `));
  if (error.hint) print(`  ${error.hint}`);
}
