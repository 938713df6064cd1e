import 'server-only';
import { BackgroundTask } from '@ceiba/process/tasks';
import { hasAdministrator } from '@ceiba/schema';
import { env } from '../env.ts';
import { log } from './log.ts';
import { withSessionDatabase } from './session-database.ts';

/** Pause between attempts while the database does not answer, in ms. */
const PAUSE_MS = 5_000;

/** Logs once, as soon as the database answers, how an installation without an administrator gets one. */
export function announceSetup(): void {
  const task = new BackgroundTask({
    name: 'the search for an administrator',
    async run() {
      const isSetUp = await withSessionDatabase(hasAdministrator);
      if (!isSetUp) log.warn(env().signUp === 'closed' ? CLOSED : OPEN);
      void task.stop();
    },
    pauseMs: () => PAUSE_MS,
    log,
  });
}

const OPEN =
  'there is no administrator yet: print a setup token with "ceiba setup-token" where Ceiba runs, and ' +
  'create the first account with it on the sign-up page; "ceiba owner create" creates it without the page';
const CLOSED =
  'there is no administrator yet, and SIGN_UP is closed: create the first account with ' +
  '"ceiba owner create" where Ceiba runs';
