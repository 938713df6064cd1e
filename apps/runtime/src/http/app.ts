import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { BUILD } from '../build-info.ts';
import { type AuthorizeRouteOptions, createAuthorizeRoutes } from './authorize-routes.ts';
import { TransportError } from './errors.ts';
import { type Check, readiness } from './health-routes.ts';
import { answerKeyRoute, KEY_ROUTES, type KeyRouteOptions } from './key-routes.ts';
import { errorReply, jsonReply } from './replies.ts';
import { requestIdOf } from './request-id.ts';

type Environment = { Bindings: HttpBindings };

export interface AppOptions {
  authorize: AuthorizeRouteOptions;
  keys: KeyRouteOptions;
  checks: { database: Check; redis: Check };
  isDraining(): boolean;
}

/** Creates the app with all routes of the Runtime. */
export function createApp({ authorize, keys, checks, isDraining }: AppOptions): Hono<Environment> {
  const app = new Hono<Environment>();
  const authorizeRoutes = createAuthorizeRoutes(authorize);
  app.post('/rt/projects/:projectId/authorize', (c) =>
    authorizeRoutes.authorize(c.env.incoming, c.req.param('projectId')),
  );
  app.post('/rt/projects/:projectId/authorize/batch', (c) =>
    authorizeRoutes.authorizeBatch(c.env.incoming, c.req.param('projectId')),
  );
  for (const route of KEY_ROUTES) {
    app.on(route.method, route.path, (c) =>
      answerKeyRoute(keys, route, c.env.incoming, {
        projectId: c.req.param('projectId') ?? '',
        apiKeyId: c.req.param('apiKeyId'),
      }),
    );
  }
  app.get('/health', (c) => jsonAnswer(c, 200, { ok: true }));
  app.get('/version', (c) => jsonAnswer(c, 200, BUILD));
  app.get('/ready', async (c) => {
    const state = await readiness(checks, isDraining());
    return jsonAnswer(c, state.ok ? 200 : 503, state);
  });
  app.notFound((c) => {
    const error = new TransportError('not_found', 'There is nothing at this address.');
    return errorReply(error, requestIdOf(c.env.incoming), authorize.errors);
  });
  app.onError((error, c) => errorReply(error, requestIdOf(c.env.incoming), authorize.errors));
  return app;
}

const jsonAnswer = (c: Context<Environment>, status: number, body: unknown) =>
  jsonReply(status, body, requestIdOf(c.env.incoming));
