'use server';

import { authorizeRequestSchema } from '@ceiba/contract';
import { mayDo, type ProjectRight } from '@ceiba/domain';
import { z } from 'zod';
import type { Choice } from '#components/combobox.tsx';
import type { Simulation } from '#components/simulation/simulation.ts';
import { projectQuery, refuse } from '#server/action.ts';
import { simulate } from '#server/simulate.ts';
import { findKeyChoices } from './key-choices.ts';

const call = {
  method: authorizeRequestSchema.shape.method,
  path: z.string().trim().startsWith('/', 'Must begin with a /.'),
};

/** Simulates the decision on a call. Nothing is charged or stored. */
export const simulateCall = projectQuery({
  right: 'simulate',
  input: z.discriminatedUnion('source', [
    z.object({ source: z.literal('chosen'), apiKeyId: z.guid('Choose a key.'), ...call }),
    z.object({ source: z.literal('pasted'), apiKey: z.string().max(65_536).trim(), ...call }),
    z.object({ source: z.literal('none'), ...call }),
  ]),
  async run({ ctx, project, role }, { method, path, ...input }): Promise<Simulation> {
    const credential =
      input.source === 'chosen'
        ? { apiKeyId: input.apiKeyId }
        : { presented: input.source === 'pasted' ? input.apiKey : null };
    const may = (right: ProjectRight) => mayDo(role, right);
    const simulation = await simulate(ctx.db, { project, may }, { credential, method, path });
    const isGone = simulation === null || ('apiKeyId' in credential && simulation.apiKey === null);
    if (isGone) refuse('not_found', 'The key no longer exists. Reload the page to choose another.');
    return simulation;
  },
});

/** Finds keys to choose from. An action, not a route: the text may be a whole key. */
export const findKeys = projectQuery({
  right: 'simulate',
  input: z.object({ q: z.string().max(65_536) }),
  run: ({ ctx, project }, { q }): Promise<Choice[]> => findKeyChoices(ctx.db, project.projectId, q),
});
