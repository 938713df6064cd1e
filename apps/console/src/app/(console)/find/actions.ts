'use server';

import { z } from 'zod';
import type { Found } from '#components/shell/found.ts';
import { withoutSecrets } from '#lib/text.ts';
import { projectQuery, userAction } from '#server/action.ts';
import { find } from './find.ts';

/** The most of each kind. */
const LISTED = 5;

/** Of a credential, only its visible prefix is looked for. */
const input = z.object({ q: z.string().trim().max(200).transform(withoutSecrets) });

/** Finds what all projects of the user have, that of one first, and sections of the guides. */
export const findInProject = projectQuery({
  right: 'view',
  input,
  run: ({ ctx, project, user, role }, { q }): Promise<Found[]> =>
    find(ctx.db, { user, text: q, limit: LISTED, current: { ...project, role } }),
});

/** Finds what all projects of the user have, and sections of the guides. */
export const findElsewhere = userAction({
  readsOnly: true,
  input,
  run: ({ inDatabase, user }, { q }): Promise<Found[]> =>
    inDatabase(({ db }) => find(db, { user, text: q, limit: LISTED })),
});
