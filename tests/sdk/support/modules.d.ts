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

/** The part of ws that the tests use. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { ClientRequest, IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export class WebSocket extends EventEmitter {
    constructor(url: string, options?: { headers?: Record<string, string> });
    on(event: 'message', listener: (data: Buffer) => void): this;
    on(
      event: 'unexpected-response',
      listener: (request: ClientRequest, answer: IncomingMessage) => void,
    ): this;
    on(event: 'error', listener: (error: Error) => void): this;
    send(text: string): void;
    close(): void;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: { noServer: true });
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      opened: (socket: WebSocket) => void,
    ): void;
  }
}

/** The part of React Router that the tests use. */
declare module 'react-router' {
  /** An app as the build of React Router writes it; its types name more than a test needs. */
  export type ServerBuild = object;

  export function createRequestHandler(
    build: ServerBuild,
    mode: 'production',
  ): (request: Request) => Promise<Response>;
}
