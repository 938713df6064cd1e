/**
 * Stops the launcher's programs when the launcher was killed, also with -9.
 *
 *   node watchdog.mjs <lock file> <token>
 *
 * Its standard input is a pipe that ends when the launcher does. A launcher that ends normally
 * removes the lock file first; what that of a killed one lists is stopped and removed. Plain
 * JavaScript, because one starts with each launcher and is hardly ever needed.
 */
import { existsSync } from 'node:fs';

// The terminal sends its signals to the whole session; only the launcher's end stops the watchdog.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) process.on(signal, () => {});

const [file = '', token = ''] = process.argv.slice(2);
process.stdin.resume().once('end', async () => {
  if (!existsSync(file)) return;
  const { register } = await import('tsx/esm/api');
  register();
  const { stopLeftovers } = await import('./lock.ts');
  await stopLeftovers(file, token);
});
