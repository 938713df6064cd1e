import type { NextRequest } from 'next/server';
import NextAuth, { type AuthOptions } from 'next-auth';
import { authOptions } from '#server/accounts/index.ts';
import { DatabaseUnavailableError } from '#server/database.ts';
import { isOwnOrigin } from '#server/origin.ts';
import { env } from '../../../../env.ts';

interface AuthRouteContext {
  params: Promise<{ nextauth: string[] }>;
}

export async function GET(request: NextRequest, context: AuthRouteContext): Promise<Response> {
  return answer(request, context);
}

/** Checks the origin as every action does; next-auth also checks its own token. */
export async function POST(request: NextRequest, context: AuthRouteContext): Promise<Response> {
  if (!isOwnOrigin(request.headers, env().publicOrigin)) {
    return Response.json({ error: 'forbidden_origin' }, { status: 403 });
  }
  return answer(request, context);
}

async function answer(request: NextRequest, context: AuthRouteContext): Promise<Response> {
  let options: AuthOptions;
  try {
    options = await authOptions();
  } catch (error) {
    // The names of the cookies are in the database.
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    return Response.json({ error: 'database_unavailable' }, { status: 503 });
  }
  return NextAuth(request, context, options);
}
