import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { authOptions } from '#server/accounts/auth-options.ts';
import { isOwnOrigin } from '#server/origin.ts';
import { env } from '../../../../env.ts';

interface AuthRouteContext {
  params: Promise<{ nextauth: string[] }>;
}

export async function GET(request: NextRequest, context: AuthRouteContext): Promise<Response> {
  return NextAuth(request, context, authOptions());
}

/** Checks the origin as every action does; next-auth also checks its own token. */
export async function POST(request: NextRequest, context: AuthRouteContext): Promise<Response> {
  if (!isOwnOrigin(request.headers, env().publicOrigin)) {
    return Response.json({ error: 'forbidden_origin' }, { status: 403 });
  }
  return NextAuth(request, context, authOptions());
}
