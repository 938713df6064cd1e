import 'server-only';
import { knownTimeZone } from '@ceiba/domain';
import { cookies } from 'next/headers';
import { cache } from 'react';
import { TIME_ZONE_COOKIE } from '../lib/preferences.ts';
import { currentUser } from './session.ts';

/** The time zone of the browser, which it names in a cookie; UTC on its first visit. */
export async function browserZone(): Promise<string> {
  return knownTimeZone((await cookies()).get(TIME_ZONE_COOKIE)?.value ?? '') ?? 'UTC';
}

/** The time zone in which pages show times to the signed-in user: their own choice, or the browser's. */
export const viewerZone = cache(async (): Promise<string> => {
  const chosen = (await currentUser())?.timeZone;
  return knownTimeZone(chosen ?? '') ?? browserZone();
});
