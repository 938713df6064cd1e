import { isReady } from '#server/database.ts';

export const dynamic = 'force-dynamic';

/** Readiness: 200 if the database can be used, else 503, always within one second. */
export async function GET(): Promise<Response> {
  const ok = await isReady();
  return Response.json(
    { ok, checks: { database: ok ? 'ok' : 'unavailable' } },
    { status: ok ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  );
}
