import 'server-only';
import { API_KEY_BRAND, mayDo, type ProjectRight } from '@ceiba/domain';
import {
  type Database,
  findApiKeysInProjects,
  findCustomersInProjects,
  findDecisionsInProjects,
  findProjectsWithRequests,
  listDecisions,
  listPolicies,
  listProjectNames,
  type ProjectName,
} from '@ceiba/schema';
import type { Found } from '#components/shell/found.ts';
import { OUTCOME_LOOKS } from '#components/ui/state-chips.tsx';
import { denialStatusOf } from '#lib/denial-status.ts';
import { ENTITIES, type SearchedKind } from '#lib/entities.ts';
import { findsPolicy } from '#lib/find-policy.ts';
import { policyText } from '#lib/format.ts';
import { type RequestFields, requestsHref } from '#lib/requests-href.ts';
import { findInGuides } from '#server/guides/guides.ts';
import type { SignedInUser } from '#server/session.ts';
import { stateOf, stateText } from '../projects/[projectId]/keys/key-state.ts';

/** The most projects of a user that are searched, by name. */
const PROJECTS_MAX = 1_000;

export interface FindOptions {
  user: SignedInUser;
  /** Without credentials. */
  text: string;
  /** The most of each kind. */
  limit: number;
  /** The project that is shown: what it has comes first, and its policies are found too. */
  current?: ProjectName;
}

interface Asked extends Pick<FindOptions, 'text' | 'limit'> {
  /** In the order of what is found. */
  projectIds: readonly string[];
  /** That of the project that is shown. */
  currentId: string | null;
}

interface Item {
  projectId: string;
  name: string;
  detail: string;
  /** One item of the kind, or the list that it is in. */
  leads: { id: string } | { href: string };
}

type Finder = (db: Database, asked: Asked) => Promise<Item[]>;

const FINDERS: Record<SearchedKind, Finder> = {
  async api_key(db, asked) {
    const found = await findApiKeysInProjects(db, asked);
    return found.map(({ projectId, apiKeyId, displayName, keyPrefix, previousPrefix, ...key }) => ({
      projectId,
      leads: { id: apiKeyId },
      name: displayName,
      detail: [
        previousPrefix?.startsWith(asked.text) && !keyPrefix.startsWith(asked.text)
          ? `${previousPrefix}…, now ${keyPrefix}…`
          : `${keyPrefix}…`,
        stateOf(key) === 'active' ? '' : stateText(stateOf(key)),
      ]
        .filter(Boolean)
        .join(' '),
    }));
  },
  async customer(db, asked) {
    const found = await findCustomersInProjects(db, asked);
    return found.map(({ projectId, customerId, externalId, name, isSuspended }) => ({
      projectId,
      leads: { id: customerId },
      name: name || externalId,
      detail: [name === '' ? '' : externalId, isSuspended ? 'suspended' : '']
        .filter(Boolean)
        .join(', '),
    }));
  },
  async policy(db, { currentId: projectId, text, limit }) {
    if (projectId === null) return [];
    const policies = await listPolicies(db, projectId);
    return policies
      .filter((policy) => findsPolicy(text, policy))
      .slice(0, limit)
      .map((policy) => ({
        projectId,
        leads: { id: policy.policyId },
        name: policyText(policy),
        detail: '',
      }));
  },
  async decision(db, asked) {
    const [requests, lists] = await Promise.all([findRequests(db, asked), findLists(db, asked)]);
    return [...requests, ...lists];
  },
};

/** By the decision ID, or by the request ID of the host. */
async function findRequests(db: Database, asked: Asked): Promise<Item[]> {
  if (!/^[\x21-\x7e]{4,}$/.test(asked.text)) return [];
  const found = await findDecisionsInProjects(db, asked);
  return found.map(({ projectId, decisionId, method, path, outcome }) => ({
    projectId,
    leads: { id: decisionId },
    name: `${method} ${path ?? '(path not recorded)'}`,
    detail: OUTCOME_LOOKS[outcome].label,
  }));
}

/** The requests with a status, below a path or with an unknown key, in the projects that have some. */
async function findLists(db: Database, asked: Asked): Promise<Item[]> {
  const { text, projectIds, currentId, limit } = asked;
  const listOf = (name: string, fields: RequestFields) => (projectId: string) => ({
    projectId,
    leads: { href: requestsHref(projectId, fields) },
    name,
    detail: '',
  });
  const status = denialStatusOf(text);
  if (status !== undefined || text.startsWith('/')) {
    const of = status === undefined ? { pathPrefix: text } : { status };
    const having = await findProjectsWithRequests(db, { projectIds, of, limit });
    const list =
      status === undefined
        ? listOf(`Requests to ${text}`, { pathPrefix: text })
        : listOf(`Requests denied with ${text}`, { outcome: text });
    // In the project that is shown, the filter is offered even where it finds nothing yet.
    return [...new Set([...(currentId === null ? [] : [currentId]), ...having])].map(list);
  }
  if (currentId === null || !text.startsWith(API_KEY_BRAND)) return [];
  const known = await findApiKeysInProjects(db, { projectIds: [currentId], text, limit: 1 });
  if (known.length > 0) return [];
  const denied = await listDecisions(db, {
    projectId: currentId,
    filter: { unknownKeyPrefix: text },
    limit: 1,
  });
  return denied.items.length === 0
    ? []
    : [listOf(`Requests with an unknown key ${text}…`, { key: text })(currentId)];
}

/**
 * What a user has of a text, in all their projects, and sections of the guides. Items of the project that
 * is shown come first; those of others name their project.
 */
export async function find(db: Database, options: FindOptions): Promise<Found[]> {
  const { user, text, limit, current } = options;
  const { userId } = user;
  const listed = await listProjectNames(db, { userId, limit: PROJECTS_MAX });
  const projects = new Map(
    [...(current === undefined ? [] : [current]), ...listed].map((one) => [one.projectId, one]),
  );
  const asked = {
    text,
    limit,
    projectIds: [...projects.keys()],
    currentId: current?.projectId ?? null,
  };
  const found = await Promise.all(
    kindsFor(text).map(async (kind) => {
      const { found: look, opens } = ENTITIES[kind];
      const items = await FINDERS[kind](db, asked);
      return items.flatMap(({ projectId, leads, name, detail }) => {
        const project = projects.get(projectId);
        if (project === undefined) return [];
        const may = (right: ProjectRight) => mayDo(project.role, right);
        const target = { projectId, label: null };
        const href =
          'href' in leads ? leads.href : opens.href({ ...target, id: leads.id }, { ...user, may });
        const elsewhere = projectId === current?.projectId ? '' : project.name;
        return {
          kind: look.as,
          name,
          detail: [detail, elsewhere].filter(Boolean).join(' · '),
          href,
        };
      });
    }),
  );
  return [...found.flat(), ...guidesWith(text, limit)];
}

const KINDS = Object.keys(FINDERS) as SearchedKind[];

/** In the order of the answer: who types a status means the requests that have it. */
const kindsFor = (text: string): SearchedKind[] =>
  denialStatusOf(text) === undefined
    ? KINDS
    : ['decision', ...KINDS.filter((kind) => kind !== 'decision')];

const guidesWith = (text: string, limit: number): Found[] =>
  findInGuides(text, limit).map(({ href, guide, title }) => ({
    kind: ENTITIES.guide.found.as,
    name: title,
    detail: guide === title ? '' : guide,
    href,
  }));
