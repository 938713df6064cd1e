import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { badInput, failure } from './errors.ts';
import type { World } from './world.ts';

/**
 * Asks twice for a new password, showing nothing of it.
 *
 * @throws CliError when there is no terminal to ask at, or the two differ
 */
export async function askForNewPassword(world: World, email: string): Promise<string> {
  if (world.stdin.isTTY !== true) {
    throw badInput(
      'There is no terminal to ask for the password at. Set CEIBA_OWNER_PASSWORD instead.',
    );
  }
  const ask = hiddenLines(world);
  try {
    const first = await ask.next(`New password of ${email}: `);
    const second = await ask.next('The same again: ');
    if (first !== second) throw badInput('The two passwords differ. Nothing was changed.');
    return first;
  } finally {
    ask.close();
  }
}

/** Lines typed at the terminal; what is typed is shown nowhere. */
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
