import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
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

/** Answers on a socket that Node has detached from its server, and closes it. */
export function refuseUpgrade(socket: Duplex, { status, headers, body }: ReadyReply): void {
  const fields = new Headers({ ...headers });
  fields.set('Connection', 'close');
  fields.set('Content-Length', String(Buffer.byteLength(body)));
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (const [name, value] of fields) lines.push(`${name}: ${value}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.once('finish', () => socket.destroy());
  socket.end(Buffer.concat([head, Buffer.from(body)]));
}
