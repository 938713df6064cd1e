declare const __CEIBA_BUILD_SHA__: string | undefined;
declare const __CEIBA_SCHEMA__: string | undefined;

/** Defined by the build: the commit, and the newest migration that it expects. */
export const BUILD = {
  sha: typeof __CEIBA_BUILD_SHA__ === 'string' ? __CEIBA_BUILD_SHA__ : 'unknown',
  schema: typeof __CEIBA_SCHEMA__ === 'string' ? __CEIBA_SCHEMA__ : 'unknown',
};
