/** Express 4, installed in addition to Express 5, with the same types as far as the tests use them. */
declare module 'express4' {
  import express from 'express';

  export default express;
}

/** Fastify 4, installed in addition to Fastify 5, with the same types as far as the tests use them. */
declare module 'fastify4' {
  import fastify from 'fastify';

  export default fastify;
}

declare module 'method-override' {
  import type { RequestHandler } from 'express';

  export default function methodOverride(header: string): RequestHandler;
}
