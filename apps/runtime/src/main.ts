import { createLogger, type Logger } from '@ceiba/process/log';
import { BUILD } from './build-info.ts';
import { readSettings } from './env.ts';
import { createRuntime, type Runtime } from './server.ts';

/** The process exits with an error if stopping takes longer, in ms. */
const LONGEST_STOP_MS = 9_000;

const settings = readSettingsOrExit();
const log = createLogger({ service: 'ceiba-runtime', level: settings.LOG_LEVEL });
const runtime = createRuntime(settings, log);

runtime.server.once('error', (error) => {
  log.fatal({ err: error, port: settings.RUNTIME_PORT }, 'cannot listen');
  process.exit(1);
});
runtime.server.listen(settings.RUNTIME_PORT, settings.RUNTIME_HOST, () => {
  log.info({ address: runtime.server.address(), ...BUILD }, 'the Runtime listens');
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => stopThenExit(runtime, log, signal));
}
process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));

function readSettingsOrExit() {
  try {
    return readSettings();
  } catch (error) {
    process.stderr.write(
      `The Runtime cannot start. ${error instanceof Error ? error.message : error}\n`,
    );
    process.exit(2);
  }
}

/** Stops being ready, drains, flushes and exits with 0. */
function stopThenExit(running: Runtime, logger: Logger, signal: string): void {
  logger.info({ signal }, 'the Runtime stops');
  setTimeout(() => {
    logger.error('the Runtime could not stop in time');
    process.exit(1);
  }, LONGEST_STOP_MS).unref();
  running.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, 'the Runtime stopped with an error');
      process.exit(1);
    },
  );
}
