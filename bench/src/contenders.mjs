/**
 * What is compared. The first is the unit: CPU times are also given as multiples of its own.
 *
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} name
 * @property {'echo' | 'ceiba' | 'contender'} kind
 * @property {string} [program] In `contenders/`; the Runtime where it is missing.
 * @property {number} [perRequest] Questions per request; 1 unless given.
 * @property {number} [connections] As many as the run has, unless given.
 * @property {GivesUp} [guarantees] Missing for an echo, which decides nothing.
 *
 * @typedef {object} GivesUp What is kept, or how it is given up.
 * @property {string} freshRevocation
 * @property {string} oneCharge
 * @property {string} failClosed
 * @property {string} pathPolicies
 */

const STRICT = {
  freshRevocation: 'yes',
  oneCharge: 'yes',
  failClosed: 'yes',
  pathPolicies: 'yes',
};

const ONE_QUERY = {
  freshRevocation: 'yes',
  oneCharge: 'no: one limit; a second one would be a second charge',
  failClosed: 'yes, as a 500',
  pathPolicies: 'no',
};

/** @type {readonly Contender[]} */
export const CONTENDERS = [
  { id: 'hono-echo', name: 'Bare Hono echo', kind: 'echo', program: 'hono-echo.mjs' },
  { id: 'node-echo', name: 'Bare `node:http` echo', kind: 'echo', program: 'node-echo.mjs' },
  { id: 'ceiba', name: 'Ceiba, one by one', kind: 'ceiba', guarantees: STRICT },
  {
    id: 'ceiba-batch',
    name: 'Ceiba, batches of 32',
    kind: 'ceiba',
    perRequest: 32,
    connections: 8,
    guarantees: STRICT,
  },
  {
    id: 'better-auth',
    name: 'better-auth 1.7.5, API-key plugin',
    kind: 'contender',
    program: 'better-auth.mjs',
    guarantees: {
      freshRevocation: 'yes',
      oneCharge: 'no: first the quota, then the rate',
      failClosed: 'no 503: an outage reads as an invalid key',
      pathPolicies: 'no',
    },
  },
  {
    id: 'express',
    name: 'Express, one query, rate-limiter-flexible',
    kind: 'contender',
    program: 'express.mjs',
    guarantees: ONE_QUERY,
  },
  {
    id: 'fastify',
    name: 'Fastify, one query, rate-limiter-flexible',
    kind: 'contender',
    program: 'fastify.mjs',
    guarantees: ONE_QUERY,
  },
  {
    id: 'key-cache',
    name: 'Unkey’s design, rebuilt: key cached for 10 s',
    kind: 'contender',
    program: 'key-cache.mjs',
    guarantees: {
      freshRevocation: 'no: up to 10 s late',
      oneCharge: 'no: one limit; a second one would be a second charge',
      failClosed: 'Redis yes; without Postgres, cached keys pass for 10 s',
      pathPolicies: 'no',
    },
  },
];
