import type { Found } from '#components/shell/found.ts';
import { placeOf } from '#components/shell/sections.ts';
import type { Entity } from '#lib/entity.ts';

/** The most of each kind on the page. */
export const LISTED = 20;

/** What the page lists of one kind. */
export interface Listed {
  entity: Entity;
  items: readonly Found[];
  /** Whether there are more. */
  isCut: boolean;
  /** The list that has all of them, where there is one. */
  allHref: string | null;
}

/** What the page lists of a kind, of an answer with one more than {@link LISTED} where there are more. */
export function listedOf(entity: Entity, found: readonly Found[], text: string): Listed {
  const ofKind = found.filter(({ kind }) => kind === entity.found?.as);
  const isCut = ofKind.length > LISTED;
  return {
    entity,
    items: ofKind.slice(0, LISTED),
    isCut,
    allHref: isCut ? allHref(ofKind, text) : null,
  };
}

/** A list is of one project, and has a search for keys and customers alone. */
function allHref(items: readonly Found[], text: string): string | null {
  const query = new URLSearchParams({ q: text });
  if (items[0]?.kind === 'guide') return `/docs?${query}`;
  if (items[0]?.kind !== 'key' && items[0]?.kind !== 'customer') return null;
  const lists = new Set(
    items.map(({ href }) => {
      const place = placeOf(href);
      return place && `/projects/${place.projectId}/${place.path}`;
    }),
  );
  const [list] = lists;
  return lists.size === 1 && list ? `${list}?${query}` : null;
}
