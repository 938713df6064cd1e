import 'server-only';
import { createLogger } from '@ceiba/process/log';

/** One JSON line per event on standard output, without credentials or values of statements. */
export const log = createLogger({ service: 'ceiba-console' });
