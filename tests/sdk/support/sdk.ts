import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CeibaRuntimeClient, CeibaRuntimeClientOptions } from '@ceiba/sdk';

/** The whole package as one object: the built package, or a copy that was broken on purpose. */
export interface Sdk {
  readonly root: typeof import('@ceiba/sdk');
  readonly express: typeof import('@ceiba/sdk/express');
  readonly fastify: typeof import('@ceiba/sdk/fastify');
  readonly hono: typeof import('@ceiba/sdk/hono');
  readonly next: typeof import('@ceiba/sdk/next');
  readonly fetch: typeof import('@ceiba/sdk/fetch');
  readonly node: typeof import('@ceiba/sdk/node');
  readonly testing: typeof import('@ceiba/sdk/testing');
  readonly webhooks: typeof import('@ceiba/sdk/webhooks');
}

/** The output folder of the build. */
export const builtSdk = fileURLToPath(new URL('../../../packages/sdk/dist', import.meta.url));

/** Loads every entry point of a built package. */
export async function loadSdk(folder: string = builtSdk): Promise<Sdk> {
  const load = (name: string) =>
    import(/* @vite-ignore */ pathToFileURL(`${folder}/${name}.js`).href);
  const [root, express, fastify, hono, next, fetch, node, testing, webhooks] = await Promise.all(
    ['index', 'express', 'fastify', 'hono', 'next', 'fetch', 'node', 'testing', 'webhooks'].map(
      load,
    ),
  );
  return { root, express, fastify, hono, next, fetch, node, testing, webhooks };
}

/** A client of a project, whose deadline a busy machine keeps too. */
export function clientOf(
  sdk: Sdk,
  runtimeBaseUrl: string,
  { projectId, secret: projectSecret }: { projectId: string; secret: string },
  options?: CeibaRuntimeClientOptions,
): CeibaRuntimeClient {
  const project = { runtimeBaseUrl, projectId, projectSecret, timeoutMs: 10_000 };
  return new sdk.root.CeibaRuntimeClient(sdk.root.parseCeibaConfig(project), options);
}
