import type { FormAction } from '../../lib/action-state.ts';
import type { FoundKind } from '../../lib/entities.ts';

/** The length of a text from which on it is searched for: a single letter is in nearly everything. */
export const SEARCH_LENGTH_MIN = 2;

/** What a search of the palette finds. */
export interface Found {
  kind: FoundKind;
  name: string;
  /** What distinguishes it from others of the same name. */
  detail: string;
  href: string;
}

/** The searches of the palette. Their text is in the body of a request, never in an address. */
export interface Searches {
  /** In all projects of the user, that of the field `projectId` first. */
  inProject: FormAction<Found[]>;
  /** In all projects of the user. */
  elsewhere: FormAction<Found[]>;
}
