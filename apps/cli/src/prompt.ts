import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { printable } from '@ceiba/manage';
import { badInput, failure } from './errors.ts';
import type { World } from './world.ts';

/**
 * Prompts twice for a new password, without echo.
 *
 * @throws CliError when there is no terminal, or the two inputs differ
 */
export async function askForNewPassword(world: World, email: string): Promise<string> {
  if (world.stdin.isTTY !== true) {
    throw badInput(
      'There is no terminal to prompt for the password. Set CEIBA_OWNER_PASSWORD instead.',
    );
  }
  const ask = hiddenLines(world);
  try {
    const first = await ask.next(`New password for ${email}: `);
    const second = await ask.next('Repeat the password: ');
    if (first !== second) throw badInput('The two passwords differ. Nothing was changed.');
    return first;
  } finally {
    ask.close();
  }
}

/** Asks a question that only `y` or `yes` confirms; without a terminal it is not confirmed. */
export async function confirm(world: World, question: string): Promise<boolean> {
  if (world.stdin.isTTY !== true) return false;
  const terminal = createInterface({ input: world.stdin, output: world.stderr });
  const lines = terminal[Symbol.asyncIterator]();
  world.stderr.write(`${printable(question)} [y/N] `);
  const line = await lines.next();
  terminal.close();
  return !line.done && /^y(?:es)?$/i.test(line.value.trim());
}

/** Reads lines from the terminal without echo. */
function hiddenLines(world: World) {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: world.stdin, output: nowhere, terminal: true });
  const lines = terminal[Symbol.asyncIterator]();
  return {
    async next(question: string): Promise<string> {
      world.stderr.write(question);
      const line = await lines.next();
      world.stderr.write('\n');
      if (line.done) throw failure('Cancelled. Nothing was changed.');
      return line.value;
    },
    close: () => terminal.close(),
  };
}
