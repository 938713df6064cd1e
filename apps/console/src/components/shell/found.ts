import type { FormAction } from '../../lib/action-state.ts';
import type { FoundKind } from '../../lib/entities.ts';

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
  /** In the project of the field `projectId`. */
  inProject: FormAction<Found[]>;
  /** In everything that belongs to no project. */
  elsewhere: FormAction<Found[]>;
}
