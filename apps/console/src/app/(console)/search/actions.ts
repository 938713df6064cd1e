'use server';

import { UUID } from '@ceiba/contract/sets';
import { mayDo, type ProjectRight } from '@ceiba/domain';
import {
  type Database,
  getCustomer,
  listCustomers,
  listDecisions,
  listPolicies,
  searchApiKeys,
} from '@ceiba/schema';
import { z } from 'zod';
import type { Found } from '#components/shell/found.ts';
import { OUTCOME_LOOKS } from '#components/ui/chip.tsx';
import { ENTITIES, type SearchedKind } from '#lib/entities.ts';
import { findsPolicy } from '#lib/find-policy.ts';
import { policyText } from '#lib/format.ts';
import { withoutSecrets } from '#lib/text.ts';
import { projectQuery, userAction } from '#server/action.ts';
import { findInGuides } from '#server/guides/guides.ts';

/** The most of each kind. */
const LISTED = 5;

/** Of a credential, only its visible prefix is looked for. */
const input = z.object({ q: z.string().trim().max(200).transform(withoutSecrets) });

type Finder = (
  db: Database,
  projectId: string,
  text: string,
) => Promise<{ id: string; name: string; detail: string }[]>;

/** One of that very external ID comes first, however many newer ones have it as a part of theirs. */
async function findCustomers(db: Database, projectId: string, text: string) {
  const of = (filter: { externalId: string } | { search: string }) =>
    listCustomers(db, { projectId, filter, limit: LISTED });
  const [exact, similar] = await Promise.all([of({ externalId: text }), of({ search: text })]);
  const found = [...exact.items, ...similar.items];
  return [...new Map(found.map((customer) => [customer.customerId, customer])).values()].slice(
    0,
    LISTED,
  );
}

/** In the order of the answer. */
const FINDERS: Record<SearchedKind, Finder> = {
  async api_key(db, projectId, text) {
    const { items } = await searchApiKeys(db, { projectId, text, limit: LISTED });
    return items.map(({ apiKeyId, displayName, keyPrefix, status }) => ({
      id: apiKeyId,
      name: displayName,
      detail: status === 'active' ? `${keyPrefix}…` : `${keyPrefix}… ${status}`,
    }));
  },
  /** By a part of the external ID or the name, or by its ID. */
  async customer(db, projectId, text) {
    const customerId = text.toLowerCase();
    const one = UUID.test(customerId) ? await getCustomer(db, { projectId, customerId }) : null;
    const items = one === null ? await findCustomers(db, projectId, text) : [one];
    return items.map(({ customerId, externalId, name, suspendedAt }) => ({
      id: customerId,
      name: name || externalId,
      detail: [name === '' ? '' : externalId, suspendedAt === null ? '' : 'suspended']
        .filter(Boolean)
        .join(', '),
    }));
  },
  async policy(db, projectId, text) {
    const policies = await listPolicies(db, projectId);
    return policies
      .filter((policy) => findsPolicy(text, policy))
      .slice(0, LISTED)
      .map((policy) => ({ id: policy.policyId, name: policyText(policy), detail: '' }));
  },
  /** By its decision ID, or by the request ID of the host. */
  async decision(db, projectId, text) {
    if (!/^[\x21-\x7e]{4,}$/.test(text)) return [];
    const id = text.toLowerCase();
    const filters = [{ requestId: text }, ...(UUID.test(id) ? [{ decisionId: id }] : [])];
    const pages = await Promise.all(
      filters.map((filter) => listDecisions(db, { projectId, filter, limit: LISTED })),
    );
    return pages
      .flatMap(({ items }) => items)
      .map(({ decisionId, method, path, outcome }) => ({
        id: decisionId,
        name: `${method} ${path ?? '(path not recorded)'}`,
        detail: OUTCOME_LOOKS[outcome].label,
      }));
  },
};

const SEARCHED = Object.keys(FINDERS) as SearchedKind[];

/** Finds what a project has, and sections of the guides. */
export const findInProject = projectQuery({
  right: 'view',
  input,
  async run({ ctx, project: { projectId }, user, role }, { q }): Promise<Found[]> {
    const viewer = { ...user, may: (right: ProjectRight) => mayDo(role, right) };
    const found = await Promise.all(
      SEARCHED.map(async (kind) => {
        const {
          found: { as },
          opens,
        } = ENTITIES[kind];
        const items = await FINDERS[kind](ctx.db, projectId, q);
        return items.map(({ id, name, detail }) => ({
          kind: as,
          name,
          detail,
          href: opens.href({ projectId, id, label: null }, viewer),
        }));
      }),
    );
    return [...found.flat(), ...guidesWith(q)];
  },
});

/** Finds sections of the guides. */
export const findElsewhere = userAction({
  readsOnly: true,
  input,
  run: async (_context, { q }): Promise<Found[]> => guidesWith(q),
});

const guidesWith = (text: string): Found[] =>
  findInGuides(text, LISTED).map(({ href, guide, title }) => ({
    kind: ENTITIES.guide.found.as,
    name: title,
    detail: guide === title ? '' : guide,
    href,
  }));
