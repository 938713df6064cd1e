import type { ServerResponse } from 'node:http';
import type { ReadyReply } from './host-reply.ts';

/** Sets header fields on a response whose head is still open. */
export function setHeaders(res: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

/** Sends a reply that rejects a request. Node omits the body of a reply to HEAD. */
export function sendReply(res: ServerResponse, { status, headers, body }: ReadyReply): void {
  res.statusCode = status;
  setHeaders(res, headers);
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}
