import { BUILD_SHA } from '../../../env.ts';

export const dynamic = 'force-dynamic';

/** The commit of this build. It uses no dependency, so that an outage does not look like a bad build. */
export function GET(): Response {
  return Response.json({ sha: BUILD_SHA }, { headers: { 'cache-control': 'no-store' } });
}
