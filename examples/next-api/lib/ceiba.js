import { CeibaRuntimeClient, parseCeibaConfig } from '@ceiba/sdk';
import { createNextRouteGuard } from '@ceiba/sdk/next';

/** Wraps a route handler. Created on the first request, because a build needs no secrets. */
export const protect = createNextRouteGuard(() => {
  const { CEIBA_RUNTIME_URL, CEIBA_PROJECT_ID, CEIBA_PROJECT_SECRET } = process.env;
  const config = parseCeibaConfig({
    runtimeBaseUrl: CEIBA_RUNTIME_URL,
    projectId: CEIBA_PROJECT_ID,
    projectSecret: CEIBA_PROJECT_SECRET,
  });
  return { client: new CeibaRuntimeClient(config) };
});
