import { randomBytes } from 'node:crypto';
import { environment } from './env.ts';
import { run } from './program.ts';

/** What to do if the output is lost; null as long as it has no secret. */
let remedy: string | null = null;
const closed = new AbortController();

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  closed.abort();
  // A reader that closes the pipe (`ceiba --help | head`) needs no more, unless it was a secret.
  if (error.code === 'EPIPE' && remedy === null) return;
  const loss = remedy === null ? '.' : `, and ${remedy}`;
  process.stderr.write(`error: The output could not be written (${error.code})${loss}\n`);
  process.exit(1);
});

// If no one reads the errors, there is nowhere to report that.
process.stderr.on('error', () => {});

process.exitCode = await run(process.argv.slice(2), {
  env: environment(),
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  random: randomBytes,
  closed: closed.signal,
  onSecret: (whatToDo) => {
    remedy = whatToDo;
  },
});
