import { randomBytes } from 'node:crypto';
import { environment } from './env.ts';
import { run } from './program.ts';

process.exitCode = await run(process.argv.slice(2), {
  env: environment(),
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  random: randomBytes,
});
