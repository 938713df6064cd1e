import { readFileSync } from 'node:fs';
import type { Access, Role, World } from './action-matrix.ts';

const manifestFile = new URL(
  '../../apps/console/.next/standalone/apps/console/.next/server/app-paths-manifest.json',
  import.meta.url,
);

/** Pages that Next.js adds. */
const OWN_OF_NEXT = ['/_global-error/page', '/_not-found/page'];

/** Every page and route handler of the build, by its file in `src/app`. */
export function readBuiltRoutes(): string[] {
  const manifest: Record<string, string> = JSON.parse(readFileSync(manifestFile, 'utf8'));
  return Object.keys(manifest).filter((route) => !OWN_OF_NEXT.includes(route));
}

export interface RouteCase {
  access: Access;
  /** The path, with every ID that the page accepts in its path or query. */
  path: (world: World) => string;
  /** Its answer takes 15 seconds, of which the tests read the beginning. */
  isStream?: true;
}

const open = (path: string): RouteCase => ({ access: 'anybody', path: () => path });
const personal = (path: string): RouteCase => ({ access: 'signed-in', path: () => path });
const administration = (path: string): RouteCase => ({
  access: 'administrator',
  path: () => path,
});
const ofProject = (
  path: string | ((world: World) => string),
  access: Role = 'viewer',
): RouteCase => ({
  access,
  path: (world) => `/projects/${world.projectId}${typeof path === 'string' ? path : path(world)}`,
});

/** Every route of the console, with a path at which the right user sees data. */
export const ROUTES: Record<string, RouteCase> = {
  '/page': open('/'),
  '/status/page': open('/status'),
  '/docs/page': open('/docs?q=keys'),
  '/docs/[slug]/page': open('/docs/console'),
  '/icon.svg/route': open('/icon.svg'),
  '/api/auth/[...nextauth]/route': open('/api/auth/providers'),
  '/api/ready/route': open('/api/ready'),
  '/api/version/route': open('/api/version'),
  '/api/manage/[...path]/route': open('/api/manage/openapi.json'),
  '/(account)/sign-in/page': open('/sign-in'),
  '/(account)/sign-up/page': open('/sign-up'),
  '/(account)/sign-up/confirm/page': open('/sign-up/confirm'),
  '/(account)/confirm-email/page': open('/confirm-email'),
  '/(account)/join/page': open('/join'),
  '/(account)/alert-mail/page': open('/alert-mail'),
  '/api/alert-mail/[mailSecret]/route': open('/api/alert-mail/none'),
  '/(account)/forgot-password/page': open('/forgot-password'),
  '/(account)/reset-password/page': open('/reset-password'),
  '/(console)/account/page': personal('/account'),
  '/(console)/audit/page': personal('/audit'),
  '/(console)/find/page': {
    access: 'signed-in',
    path: ({ decisionId }) => `/find?q=${decisionId}`,
  },
  '/(console)/audit/csv/route': personal('/audit/csv'),
  '/(console)/projects/page': personal('/projects'),
  '/(console)/projects/new/page': personal('/projects/new'),
  '/(console)/admin/page': administration('/admin?tab=users'),
  '/(console)/admin/audit/page': administration('/admin/audit'),
  '/(console)/admin/audit/csv/route': administration('/admin/audit/csv'),
  '/(console)/projects/[projectId]/page': ofProject(''),
  '/(console)/projects/[projectId]/audit/page': ofProject('/audit'),
  '/(console)/projects/[projectId]/audit/csv/route': ofProject('/audit/csv'),
  '/(console)/projects/[projectId]/recent-use/route': ofProject(
    ({ apiKeyId }) => `/recent-use?keys=${apiKeyId}`,
  ),
  '/(console)/projects/[projectId]/keys/page': ofProject(
    ({ apiKeyId }) => `/keys?status=all&q=${apiKeyId}`,
  ),
  '/(console)/projects/[projectId]/keys/[apiKeyId]/page': ofProject(
    ({ apiKeyId }) => `/keys/${apiKeyId}`,
  ),
  '/(console)/projects/[projectId]/keys/csv/route': ofProject(
    ({ apiKeyId }) => `/keys/csv?status=all&q=${apiKeyId}`,
  ),
  '/(console)/projects/[projectId]/keys/new/page': ofProject('/keys/new', 'developer'),
  '/(console)/projects/[projectId]/customers/page': ofProject('/customers?q=isolated'),
  '/(console)/projects/[projectId]/customers/csv/route': ofProject('/customers/csv'),
  '/(console)/projects/[projectId]/customers/new/page': ofProject('/customers/new', 'developer'),
  '/(console)/projects/[projectId]/customers/[customerId]/page': ofProject(
    ({ customerId }) => `/customers/${customerId}`,
  ),
  '/(console)/projects/[projectId]/plans/page': ofProject('/plans'),
  '/(console)/projects/[projectId]/policies/page': ofProject('/policies'),
  '/(console)/projects/[projectId]/policies/new/page': ofProject('/policies/new', 'developer'),
  '/(console)/projects/[projectId]/policies/[policyId]/page': ofProject(
    ({ policyId }) => `/policies/${policyId}`,
    'developer',
  ),
  '/(console)/projects/[projectId]/requests/page': ofProject(
    ({ apiKeyId }) => `/requests?key=${apiKeyId}`,
  ),
  '/(console)/projects/[projectId]/requests/csv/route': ofProject(
    ({ apiKeyId }) => `/requests/csv?key=${apiKeyId}`,
  ),
  '/(console)/projects/[projectId]/requests/[decisionId]/page': ofProject(
    ({ decisionId }) => `/requests/${decisionId}`,
  ),
  '/(console)/projects/[projectId]/alerts/page': ofProject('/alerts'),
  '/(console)/projects/[projectId]/alerts/[destinationId]/page': ofProject(
    ({ destinationId }) => `/alerts/${destinationId}`,
  ),
  '/(console)/projects/[projectId]/requests/groups/page': ofProject('/requests/groups'),
  '/(console)/projects/[projectId]/requests/tail/route': {
    ...ofProject('/requests/tail'),
    isStream: true,
  },
  '/(console)/projects/[projectId]/members/page': ofProject('/members'),
  '/(console)/projects/[projectId]/settings/page': ofProject('/settings'),
  '/(console)/projects/[projectId]/simulator/page': ofProject(
    ({ apiKeyId }) => `/simulator?apiKeyId=${apiKeyId}&method=GET&path=/v1/matrix`,
  ),
  '/(console)/projects/[projectId]/subscription/page': ofProject('/subscription'),
  '/(console)/projects/[projectId]/usage/page': ofProject('/usage?range=30d'),
  '/(console)/projects/[projectId]/usage/csv/route': ofProject('/usage/csv?range=30d'),
};
