import openApiDocument from '@ceiba/contract/openapi.json' with { type: 'json' };
import { postmanCollection } from '@ceiba/contract/postman';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { BUILD } from '../build-info.ts';
import type { ErrorLog } from '../error-log.ts';
import { TransportError } from '../errors.ts';
import { requestIdOf } from '../request-id.ts';
import type { AuthorizeRoutes } from './authorize-routes.ts';
import { CUSTOMER_ROUTES } from './customer-routes.ts';
import { DECISION_ROUTES } from './decision-routes.ts';
import { type Checks, readiness } from './health-routes.ts';
import { KEY_ROUTES } from './key-routes.ts';
import { answerProjectRoute, type ProjectRouteOptions } from './project-routes.ts';
import { errorReply, JsonText, jsonReply, toResponse } from './replies.ts';
import { USAGE_ROUTES } from './usage-routes.ts';

type Environment = { Bindings: HttpBindings };

export interface AppOptions {
  authorizeRoutes: AuthorizeRoutes;
  projects: ProjectRouteOptions;
  checks: Checks;
  isDraining(): boolean;
  errors: ErrorLog;
}

/** Creates the app with all routes of the Runtime. */
export function createApp(options: AppOptions): Hono<Environment> {
  const { authorizeRoutes, projects, checks, isDraining, errors } = options;
  const app = new Hono<Environment>();
  app.post('/rt/projects/:projectId/authorize', async (c) =>
    toResponse(await authorizeRoutes.authorize(c.env.incoming, c.req.param('projectId'))),
  );
  app.post('/rt/projects/:projectId/authorize/batch', async (c) =>
    toResponse(await authorizeRoutes.authorizeBatch(c.env.incoming, c.req.param('projectId'))),
  );
  for (const route of [...KEY_ROUTES, ...CUSTOMER_ROUTES, ...USAGE_ROUTES, ...DECISION_ROUTES]) {
    app.on(route.method, route.path, async (c) =>
      toResponse(await answerProjectRoute(projects, route, c.env.incoming, c.req.param())),
    );
  }
  app.get('/health', (c) => jsonAnswer(c, 200, { ok: true }));
  app.get('/version', (c) => jsonAnswer(c, 200, BUILD));
  app.get('/openapi.json', (c) => jsonAnswer(c, 200, OPENAPI));
  app.get('/postman.json', (c) => jsonAnswer(c, 200, POSTMAN));
  app.get('/ready', async (c) => {
    const state = await readiness(checks, isDraining());
    return jsonAnswer(c, state.ok ? 200 : 503, state);
  });
  app.notFound((c) => {
    const error = new TransportError('not_found', 'There is nothing at this address.');
    return toResponse(errorReply(error, requestIdOf(c.env.incoming), errors));
  });
  app.onError((error, c) => toResponse(errorReply(error, requestIdOf(c.env.incoming), errors)));
  return app;
}

/** Written once: the documents are the same for every call. */
const OPENAPI = new JsonText(JSON.stringify(openApiDocument));
const POSTMAN = new JsonText(JSON.stringify(postmanCollection(openApiDocument)));

const jsonAnswer = (c: Context<Environment>, status: number, body: unknown) =>
  toResponse(jsonReply(status, body, requestIdOf(c.env.incoming)));
