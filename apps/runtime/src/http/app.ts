import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { BUILD } from '../build-info.ts';
import type { AuthorizeRoutes } from './authorize-routes.ts';
import { TransportError } from './errors.ts';
import { type Check, readiness } from './health-routes.ts';
import { answerKeyRoute, KEY_ROUTES, type KeyRouteOptions } from './key-routes.ts';
import { type ErrorLog, errorReply, jsonReply, toResponse } from './replies.ts';
import { requestIdOf } from './request-id.ts';

type Environment = { Bindings: HttpBindings };

export interface AppOptions {
  authorizeRoutes: AuthorizeRoutes;
  keys: KeyRouteOptions;
  checks: { database: Check; redis: Check };
  isDraining(): boolean;
  errors: ErrorLog;
}

/** Creates the app with all routes of the Runtime. */
export function createApp(options: AppOptions): Hono<Environment> {
  const { authorizeRoutes, keys, checks, isDraining, errors } = options;
  const app = new Hono<Environment>();
  app.post('/rt/projects/:projectId/authorize', async (c) =>
    toResponse(await authorizeRoutes.authorize(c.env.incoming, c.req.param('projectId'))),
  );
  app.post('/rt/projects/:projectId/authorize/batch', async (c) =>
    toResponse(await authorizeRoutes.authorizeBatch(c.env.incoming, c.req.param('projectId'))),
  );
  for (const route of KEY_ROUTES) {
    app.on(route.method, route.path, async (c) => {
      const projectId = c.req.param('projectId') ?? '';
      const apiKeyId = c.req.param('apiKeyId');
      return toResponse(await answerKeyRoute(keys, route, c.env.incoming, { projectId, apiKeyId }));
    });
  }
  app.get('/health', (c) => jsonAnswer(c, 200, { ok: true }));
  app.get('/version', (c) => jsonAnswer(c, 200, BUILD));
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

const jsonAnswer = (c: Context<Environment>, status: number, body: unknown) =>
  toResponse(jsonReply(status, body, requestIdOf(c.env.incoming)));
