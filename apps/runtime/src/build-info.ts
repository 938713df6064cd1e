declare const __CEIBA_BUILD_SHA__: string | undefined;
declare const __CEIBA_SCHEMA__: string | undefined;
declare const __CEIBA_SCHEMA_TIME__: number | undefined;

/** Defined by the build: the commit, and the newest migration that it expects. */
export const BUILD = {
  sha: typeof __CEIBA_BUILD_SHA__ === 'string' ? __CEIBA_BUILD_SHA__ : 'unknown',
  schema: typeof __CEIBA_SCHEMA__ === 'string' ? __CEIBA_SCHEMA__ : 'unknown',
};

/** The journal's time of that migration, by which a database knows it; null where it is unknown. */
export const SCHEMA_TIME = typeof __CEIBA_SCHEMA_TIME__ === 'number' ? __CEIBA_SCHEMA_TIME__ : null;
