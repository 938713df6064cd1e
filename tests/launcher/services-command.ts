/**
 * `node --import tsx services-command.ts <data folder>`: starts the databases as `npm start` does, prints their
 * URLs and process ids as one line of JSON, and runs until Ctrl-C.
 */
import { printFailure } from '@ceiba/devstack/output';
import { startServices } from '@ceiba/devstack/services';
import { createSupervisor } from '@ceiba/devstack/supervisor';

try {
  const supervisor = await createSupervisor({ dataDir: process.argv[2] ?? '' });
  process.once('SIGINT', async () => {
    await supervisor.stop();
    process.exit(0);
  });
  const services = await startServices(supervisor, {});
  process.stdout.write(`${JSON.stringify({ ...services, processes: supervisor.processes() })}\n`);
} catch (error) {
  printFailure(error);
  process.exit(1);
}
