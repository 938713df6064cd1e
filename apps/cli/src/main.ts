import { randomBytes } from 'node:crypto';
import { environment } from './env.ts';
import { run } from './program.ts';

let printsSecret = false;

process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
  // Whoever closes the pipe (`ceiba --help | head`) has seen enough, unless it was a secret.
  if (fault.code === 'EPIPE' && !printsSecret) return;
  const loss = printsSecret
    ? ' A new project secret was in it and may be lost: make another one with ceiba project rotate-secret.'
    : '';
  process.stderr.write(`error: The output could not be written (${fault.code}).${loss}\n`);
  process.exit(1);
});

// What nobody reads needs no complaint that nobody reads.
process.stderr.on('error', () => {});

process.exitCode = await run(process.argv.slice(2), {
  env: environment(),
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  random: randomBytes,
  onSecret: () => {
    printsSecret = true;
  },
});
