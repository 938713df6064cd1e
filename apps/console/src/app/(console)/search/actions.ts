'use server';

import { UUID } from '@ceiba/contract/sets';
import { mayDo } from '@ceiba/domain';
import { type Database, listDecisions, listPolicies, searchApiKeys } from '@ceiba/schema';
import { z } from 'zod';
import type { Found } from '#components/shell/found.ts';
import { OUTCOME_LOOKS } from '#components/ui/chip.tsx';
import { findsPolicy, policyPageHref } from '#lib/find-policy.ts';
import { policyText } from '#lib/format.ts';
import { withoutSecrets } from '#lib/text.ts';
import { projectQuery, userAction } from '#server/action.ts';
import { findInGuides } from '#server/guides/guides.ts';

/** The most of each kind. */
const LISTED = 5;

/** Of a credential, only its visible prefix is looked for. */
const input = z.object({ q: z.string().trim().max(200).transform(withoutSecrets) });

/** Finds keys, policies and requests of a project, and sections of the guides. */
export const findInProject = projectQuery({
  right: 'view',
  input,
  async run({ ctx, project, role }, { q }): Promise<Found[]> {
    const { projectId } = project;
    const found = await Promise.all([
      findKeys(ctx.db, projectId, q),
      findPolicies(ctx.db, projectId, q, mayDo(role, 'change_policies')),
      findRequests(ctx.db, projectId, q),
    ]);
    return [...found.flat(), ...guidesWith(q)];
  },
});

/** Finds sections of the guides. */
export const findElsewhere = userAction({
  readsOnly: true,
  input,
  run: async (_context, { q }): Promise<Found[]> => guidesWith(q),
});

async function findKeys(db: Database, projectId: string, text: string): Promise<Found[]> {
  const { items } = await searchApiKeys(db, { projectId, text, limit: LISTED });
  return items.map(({ apiKeyId, displayName, keyPrefix, status }) => ({
    kind: 'key',
    name: displayName,
    detail: status === 'active' ? `${keyPrefix}…` : `${keyPrefix}… ${status}`,
    href: `/projects/${projectId}/keys/${apiKeyId}`,
  }));
}

/** @param opens whether the user's role opens the page of a policy */
async function findPolicies(
  db: Database,
  projectId: string,
  text: string,
  opens: boolean,
): Promise<Found[]> {
  const policies = await listPolicies(db, projectId);
  return policies
    .filter((policy) => findsPolicy(text, policy))
    .slice(0, LISTED)
    .map((policy) => ({
      kind: 'policy',
      name: policyText(policy),
      detail: '',
      href: policyPageHref(projectId, policy.policyId, opens),
    }));
}

/** By its decision ID, or by the request ID of the host. */
async function findRequests(db: Database, projectId: string, text: string): Promise<Found[]> {
  if (!/^[\x21-\x7e]{4,}$/.test(text)) return [];
  const id = text.toLowerCase();
  const filters = [{ requestId: text }, ...(UUID.test(id) ? [{ decisionId: id }] : [])];
  const pages = await Promise.all(
    filters.map((filter) => listDecisions(db, { projectId, filter, limit: LISTED })),
  );
  return pages
    .flatMap(({ items }) => items)
    .map(({ decisionId, method, path, outcome }) => ({
      kind: 'request',
      name: `${method} ${path ?? '(path not recorded)'}`,
      detail: OUTCOME_LOOKS[outcome].label,
      href: `/projects/${projectId}/requests/${decisionId}`,
    }));
}

const guidesWith = (text: string): Found[] =>
  findInGuides(text, LISTED).map(({ href, guide, title }) => ({
    kind: 'guide',
    name: title,
    detail: guide === title ? '' : guide,
    href,
  }));
