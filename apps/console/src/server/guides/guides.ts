import 'server-only';
import type { Framework } from '../../lib/host-snippets.ts';
import { type Query, textOf } from '../../lib/list-query.ts';
import groups from './catalog.guides';
import { frameworksOf } from './frameworks.ts';
import type { Guide, GuideGroup } from './guide.ts';
import { type FoundSection, searchGuides } from './search-guides.ts';

/** The guides of this build, rendered by it. */
export const GUIDE_GROUPS: readonly GuideGroup[] = groups;

const guides: readonly Guide[] = groups.flatMap((group) => group.guides);

/** The frameworks that the guides have, in their order. */
export const FRAMEWORKS: readonly Framework[] = frameworksOf(guides);

/** The framework that a URL names, else the first. */
export function chosenFramework(query: Query): Framework {
  const named = FRAMEWORKS.find(({ slug }) => slug === textOf(query, 'framework'));
  const [first] = FRAMEWORKS;
  if (first === undefined) throw new Error('the guides have no framework');
  return named ?? first;
}

export const guideOf = (slug: string): Guide | undefined =>
  guides.find((guide) => guide.slug === slug);

/** The parts that an index of a guide lists. */
export const partsOf = ({ sections }: Guide) =>
  sections.filter(({ depth }) => depth === 2).map(({ id, title }) => ({ id, title }));

/** The sections that contain every word of a text, the best first. */
export const findInGuides = (text: string, limit: number): FoundSection[] =>
  searchGuides(guides, text).slice(0, limit);
