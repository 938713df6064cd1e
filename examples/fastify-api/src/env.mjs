import { parseCeibaConfig } from '@ceiba/sdk';

const { CEIBA_RUNTIME_URL, CEIBA_PROJECT_ID, CEIBA_PROJECT_SECRET, HOST_PORT } = process.env;

/** The address that this API listens on: loopback only. */
export const port = Number(HOST_PORT ?? 4100);

/** Throws at start, naming the setting, when one is missing or invalid. */
export const config = parseCeibaConfig({
  runtimeBaseUrl: CEIBA_RUNTIME_URL,
  projectId: CEIBA_PROJECT_ID,
  projectSecret: CEIBA_PROJECT_SECRET,
});
