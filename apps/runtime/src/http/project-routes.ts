import type { IncomingMessage } from 'node:http';
import type { RandomBytes } from '@ceiba/domain';
import type { Logger } from '@ceiba/process/log';
import type { SerialQueue } from '@ceiba/process/tasks';
import { type Database, InvalidInputError, type LookupRow, type VerbContext } from '@ceiba/schema';
import type { z } from 'zod';
import type { Deadline } from '../deadline.ts';
import type { Dependencies } from '../decision/dependencies.ts';
import type { Entrance } from '../decision/entrance.ts';
import { noteIfPrevious, projectOfSecret } from '../decision/project-secret.ts';
import type { ErrorLog } from '../error-log.ts';
import { invalidInput, invalidRequest, unauthorized } from '../errors.ts';
import { parseUuid } from '../parameters.ts';
import { UnavailableError } from '../unavailable.ts';
import { type ReadBody, readJsonBody } from './body.ts';
import { callerOf } from './caller.ts';
import { type LargeBodies, largeBodyOf } from './large-bodies.ts';
import { NO_QUERY, parseQuery } from './query.ts';
import { errorReply, jsonReply, type Reply } from './replies.ts';

export interface ProjectRouteOptions {
  entrance: Pick<Entrance, 'prove'>;
  /** Finds the project through the lookups of decisions. */
  findProject(projectId: string, deadline: Deadline): Promise<LookupRow['project']>;
  usage: Pick<Dependencies['usage'], 'notePreviousSecret'>;
  /** Runs verbs that only read within the deadline, on a pool that no decision uses. */
  read<T>(deadline: Deadline, work: (db: Database) => Promise<T>): Promise<T>;
  /** As `read`, for verbs that change the project; its changes have a share of the pool. */
  change<T>(projectId: string, deadline: Deadline, work: (db: Database) => Promise<T>): Promise<T>;
  pageReads: SerialQueue;
  largeBodies: Pick<LargeBodies, 'hold'>;
  random: RandomBytes;
  errors: ErrorLog;
  log: Logger;
  deadlineMs: number;
}

/** A call whose secret is the project's. */
export interface ProjectCall<Query extends z.ZodObject = z.ZodObject> {
  /** Runs verbs on one connection, within the time that is left. */
  run<T>(work: (ctx: VerbContext & { db: Database }) => Promise<T>): Promise<T>;
  deadline: Deadline;
  projectId: string;
  /** The UUID in the address; empty where it has none. */
  id: string;
  query: z.output<Query>;
  headers: IncomingMessage['headersDistinct'];
  body: ReadBody;
  /** Serialises the page reads of all long lists. */
  pageReads: SerialQueue;
  random: RandomBytes;
}

export interface ProjectRoute<Query extends z.ZodObject = z.ZodObject> {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** The name of the UUID in the address that is not the project’s. */
  id?: 'apiKeyId' | 'customerId' | 'decisionId';
  /** Absent where the route takes no query: every parameter is then an unknown one. */
  query?: Query;
  /** 16 KiB by default. */
  bodyCapBytes?: number;
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
  const startedAt = performance.now();
  const sender = callerOf(incoming, parameters.projectId ?? '', options.deadlineMs);
  const { requestId, deadline } = sender;
  try {
    const projectId = await options.entrance.prove(sender, async (proof) => {
      const project = await options.findProject(proof.projectId, deadline);
      if (projectOfSecret(project, proof.secretDigest) === null) throw unauthorized();
      noteIfPrevious(options.usage, project, proof);
      return proof.projectId;
    });
    const id = route.id === undefined ? '' : parseUuid(route.id, parameters[route.id] ?? '');
    const query = parseQuery(route.query ?? NO_QUERY, incoming);
    const { bodyCapBytes = BODY_CAP_BYTES } = route;
    const release = options.largeBodies.hold(projectId, largeBodyOf(incoming, { bodyCapBytes }));
    try {
      const body: ReadBody =
        route.method === 'GET'
          ? { kind: 'empty' }
          : await deadline.race('caller', readJsonBody(incoming, bodyCapBytes)).catch((error) => {
              if (!(error instanceof UnavailableError)) throw error;
              throw invalidRequest(`The body did not arrive within ${options.deadlineMs} ms.`);
            });
      const caller = {
        actor: { kind: 'project_secret' },
        clientAddress: sender.peer || null,
        requestId,
      } as const;
      const result = await route.answer({
        run: (work) =>
          route.method === 'GET'
            ? options.read(deadline, (db) => work({ db, ...caller }))
            : options.change(projectId, deadline, (db) => work({ db, ...caller })),
        deadline,
        projectId,
        id,
        query,
        headers: incoming.headersDistinct,
        body,
        pageReads: options.pageReads,
        random: options.random,
      });
      options.log.info(
        { requestId, method: route.method, route: route.path, projectId, ms: msSince(startedAt) },
        'project route',
      );
      return jsonReply(200, result, requestId);
    } finally {
      release();
    }
  } catch (error) {
    const refused = error instanceof InvalidInputError ? invalidInput(error) : error;
    return errorReply(refused, requestId, options.errors);
  }
}

const msSince = (startedAt: number) => Math.round(performance.now() - startedAt);
