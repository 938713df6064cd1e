import { BUILD } from './build-info.ts';
import { readSettings } from './env.ts';
import { createLogger, type Logger } from './log.ts';
import { createRuntime, type Runtime } from './server.ts';

/** A stop that takes longer than this is given up, in ms. */
const LONGEST_STOP_MS = 9_000;

const settings = readSettingsOrExit();
const log = createLogger(settings.LOG_LEVEL);
const runtime = createRuntime(settings, log);

runtime.server.once('error', (fault) => {
  log.fatal({ err: fault, port: settings.RUNTIME_PORT }, 'cannot listen');
  process.exit(1);
});
runtime.server.listen(settings.RUNTIME_PORT, settings.RUNTIME_HOST, () => {
  log.info({ address: runtime.server.address(), ...BUILD }, 'the Runtime listens');
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => stopThenExit(runtime, log, signal));
}
process.on('unhandledRejection', (fault) => log.error({ err: fault }, 'unhandled rejection'));

function readSettingsOrExit() {
  try {
    return readSettings();
  } catch (fault) {
    process.stderr.write(`${fault instanceof Error ? fault.message : 'wrong settings'}\n`);
    process.exit(2);
  }
}

/** Not ready, drain, flush, exit 0. */
function stopThenExit(running: Runtime, logger: Logger, signal: string): void {
  logger.info({ signal }, 'the Runtime stops');
  setTimeout(() => {
    logger.error('the Runtime could not stop in time');
    process.exit(1);
  }, LONGEST_STOP_MS).unref();
  running.stop().then(
    () => process.exit(0),
    (fault: unknown) => {
      logger.error({ err: fault }, 'the Runtime stopped with a fault');
      process.exit(1);
    },
  );
}
