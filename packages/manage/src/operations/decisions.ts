import { dateOf, decisionQuerySchema, loggedDecisionSchema } from '@ceiba/contract';
import { OUTCOMES, UUID } from '@ceiba/contract/sets';
import {
  type DecisionFilter,
  findKeyByPrefix,
  listDecisions as listPageOfDecisions,
  readDecisionGaps,
  toLoggedDecision,
} from '@ceiba/schema';
import { z } from 'zod';
import { instant, nextCursor, page, pageOf, projectId } from '../fields.ts';
import { type Call, operation } from '../operation.ts';
import { requireCustomer } from './customers.ts';

const { outcome, reason, method, pathPrefix, requestId } = decisionQuerySchema.shape;
const time = {
  from: instant.optional().describe('From this time on.'),
  to: instant.optional().describe('Before this time.'),
};

export const listDecisions = operation({
  name: 'listDecisions',
  summary: 'List the recorded decisions of a project, newest first',
  method: 'GET',
  path: '/projects/{projectId}/decisions',
  access: 'read',
  isLong: true,
  input: z.strictObject({
    projectId,
    outcome: outcome.describe('Of this outcome.'),
    reason: reason.describe('Denied for this reason.'),
    key: requestId.describe('Of this key, by its id or prefix.'),
    customer: z.string().optional().describe('Of keys of this customer, by its id or external id.'),
    method: method.describe('Of this method.'),
    pathPrefix: pathPrefix.describe('Of paths that begin so.'),
    requestId: requestId.describe('With this x-request-id.'),
    decisionId: projectId.optional().describe('This one.'),
    ...time,
    ...page,
  }),
  output: z.strictObject({
    decisions: z.array(loggedDecisionSchema),
    nextCursor,
    unknownKeyPrefix: z
      .string()
      .nullable()
      .describe('The prefix, where the project has no key of it: the calls were denied for that.'),
  }),
  run: async (call, { projectId, key, customer, from, to, limit, cursor, ...rest }) => {
    const filter: DecisionFilter = {
      ...rest,
      from: dateOf(from),
      to: dateOf(to),
      ...(customer !== undefined && {
        customerId: (await requireCustomer(call, projectId, customer)).customerId,
      }),
      ...(key !== undefined && (await keyOf(call, projectId, key))),
    };
    const asked = { projectId, filter, ...pageOf({ limit, cursor }) };
    const { items, next } = await listPageOfDecisions(call.ctx.db, asked);
    return {
      decisions: items.map(toLoggedDecision),
      nextCursor: next,
      unknownKeyPrefix: filter.unknownKeyPrefix ?? null,
    };
  },
});

/** The key of the project, or the calls that were denied because it has none with this prefix. */
async function keyOf(
  { ctx: { db } }: Call,
  projectId: string,
  idOrPrefix: string,
): Promise<Pick<DecisionFilter, 'apiKeyId' | 'unknownKeyPrefix'>> {
  const id = idOrPrefix.toLowerCase();
  if (UUID.test(id)) return { apiKeyId: id };
  const key = await findKeyByPrefix(db, { projectId, prefix: idOrPrefix });
  return key === null ? { unknownKeyPrefix: idOrPrefix } : { apiKeyId: key.apiKeyId };
}

export const listDecisionGaps = operation({
  name: 'listDecisionGaps',
  summary: 'Count the decisions of a time that the log left out',
  method: 'GET',
  path: '/projects/{projectId}/decision-gaps',
  access: 'read',
  input: z.strictObject({ projectId, ...time }),
  output: z.strictObject({
    gaps: z.array(z.strictObject({ outcome: z.enum(OUTCOMES), leftOut: z.number() })),
  }),
  run: async ({ ctx }, { projectId, from, to }) => {
    const range = { from: dateOf(from) ?? new Date(0), to: dateOf(to) ?? new Date() };
    const gaps = await readDecisionGaps(ctx.db, { projectId, ...range });
    return { gaps: gaps.map(({ outcome, leftOut }) => ({ outcome, leftOut })) };
  },
});
