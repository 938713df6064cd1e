import { randomBytes } from 'node:crypto';
import { environment } from './env.ts';
import { run } from './program.ts';

process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
  process.stderr.write(
    `error: The output could not be written (${fault.code}). ` +
      'If a new project secret was in it, it is lost: make another one with ceiba project rotate-secret.\n',
  );
  process.exit(1);
});

process.exitCode = await run(process.argv.slice(2), {
  env: environment(),
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  random: randomBytes,
});
