import type { IncomingMessage } from 'node:http';
import type { RandomBytes } from '@ceiba/domain';
import type { Logger } from '@ceiba/process/log';
import type { SerialQueue } from '@ceiba/process/tasks';
import type { Database, LookupRow, VerbContext } from '@ceiba/schema';
import type { z } from 'zod';
import { Deadline } from '../deadline.ts';
import type { Entrance } from '../decision/entrance.ts';
import { projectOfSecret } from '../decision/project-secret.ts';
import type { ErrorLog } from '../error-log.ts';
import { unauthorized } from '../errors.ts';
import { NO_QUERY, parseQuery, parseUuid } from '../parameters.ts';
import { requestIdOf } from '../request-id.ts';
import { type ReadBody, readJsonBody } from './body.ts';
import { peerOf, secretOf } from './caller.ts';
import { errorReply, jsonReply, type Reply } from './replies.ts';

export interface ProjectRouteOptions {
  entrance: Pick<Entrance, 'prove' | 'note'>;
  /** Finds the project through the lookups of decisions. */
  findProject(projectId: string, deadline: Deadline): Promise<LookupRow['project']>;
  /** Runs verbs within the deadline, on a pool that no decision uses. */
  run<T>(deadline: Deadline, work: (db: Database) => Promise<T>): Promise<T>;
  pageReads: SerialQueue;
  random: RandomBytes;
  errors: ErrorLog;
  log: Logger;
  deadlineMs: number;
}

/** A call whose secret is the project's. */
export interface ProjectCall<Query extends z.ZodObject = z.ZodObject> {
  /** Runs verbs on one connection, within the time that is left. */
  run<T>(work: (ctx: VerbContext) => Promise<T>): Promise<T>;
  deadline: Deadline;
  projectId: string;
  /** The UUID at the end of the address; empty where it has none. */
  id: string;
  query: z.output<Query>;
  body: ReadBody;
  /** Serialises the page reads of all long lists. */
  pageReads: SerialQueue;
  random: RandomBytes;
}

export interface ProjectRoute<Query extends z.ZodObject = z.ZodObject> {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** What the address ends with: the name of a UUID. */
  id?: 'apiKeyId' | 'decisionId';
  /** Absent where the route takes no query: every parameter is then an unknown one. */
  query?: Query;
  /** Returns the body of the reply, whose status is 200. */
  answer(call: ProjectCall<Query>): Promise<unknown>;
}

const BODY_CAP_BYTES = 16 * 1024;

/** Answers one call of a route. Checks the project's UUID, then the secret, then the rest. */
export async function answerProjectRoute(
  options: ProjectRouteOptions,
  route: ProjectRoute,
  incoming: IncomingMessage,
  parameters: Readonly<Record<string, string>>,
): Promise<Reply> {
  const requestId = requestIdOf(incoming);
  const startedAt = performance.now();
  const deadline = new Deadline(options.deadlineMs);
  try {
    const asked = { projectId: parameters.projectId ?? '', requestId, deadline };
    const projectId = await authenticate(options, incoming, asked);
    const id = route.id === undefined ? '' : parseUuid(route.id, parameters[route.id] ?? '');
    const query = parseQuery(route.query ?? NO_QUERY, incoming);
    const body: ReadBody =
      route.method === 'GET'
        ? { kind: 'empty' }
        : await deadline.race('caller', readJsonBody(incoming, BODY_CAP_BYTES));
    const caller = {
      actor: { kind: 'project_secret' },
      clientAddress: peerOf(incoming) || null,
      requestId,
    } as const;
    const result = await route.answer({
      run: (work) => options.run(deadline, (db) => work({ db, ...caller })),
      deadline,
      projectId,
      id,
      query,
      body,
      pageReads: options.pageReads,
      random: options.random,
    });
    options.log.info(
      { requestId, method: route.method, route: route.path, projectId, ms: msSince(startedAt) },
      'project route',
    );
    return jsonReply(200, result, requestId);
  } catch (error) {
    return errorReply(error, requestId, options.errors);
  }
}

/** @returns the project, whose secret the call has */
async function authenticate(
  { entrance, findProject }: ProjectRouteOptions,
  incoming: IncomingMessage,
  asked: { projectId: string; requestId: string; deadline: Deadline },
): Promise<string> {
  const { deadline } = asked;
  const caller = {
    ...asked,
    secret: secretOf(incoming),
    peer: peerOf(incoming),
    userAgent: incoming.headers['user-agent'],
  };
  const proof = await entrance.prove(caller);
  const { projectId, secretDigest } = proof;
  try {
    const project = await findProject(projectId, deadline);
    if (projectOfSecret(project, secretDigest) === null) throw unauthorized();
    entrance.note(proof, caller, null);
  } catch (error) {
    entrance.note(proof, caller, error);
    throw error;
  }
  return projectId;
}

const msSince = (startedAt: number) => Math.round(performance.now() - startedAt);
