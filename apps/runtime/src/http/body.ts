import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ERROR_MESSAGES, emptyRequestSchema, safeParse } from '@ceiba/contract';
import type { z } from 'zod';
import { invalidField, invalidRequest, TransportError } from '../errors.ts';

/** A body as it arrived: parsed, absent, or the error to answer with. */
export type ReadBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'empty' }
  | { kind: 'refused'; error: TransportError };

/**
 * Reads a JSON body up to a cap. An invalid body is returned, not thrown: the secret is checked
 * before the body.
 */
export async function readJsonBody(incoming: IncomingMessage, capBytes: number): Promise<ReadBody> {
  return jsonBodyOf(incoming, await readCapped(incoming, capBytes), capBytes);
}

/**
 * Reads a JSON body that is all here: without listeners, and without waiting for the end of the
 * stream. A body that came with its head is here at the first `await` after the request.
 *
 * @returns null where it has to be waited for, by {@link readJsonBody}
 */
export function readArrivedBody(incoming: IncomingMessage, capBytes: number): ReadBody | null {
  if (!incoming.complete || incoming.destroyed || incoming.readableFlowing !== null) return null;
  const bytes: Buffer = incoming.read() ?? NO_BYTES;
  return jsonBodyOf(incoming, bytes.length > capBytes ? 'over' : bytes, capBytes);
}

const NO_BYTES = Buffer.alloc(0);

function jsonBodyOf(
  incoming: IncomingMessage,
  bytes: Buffer | 'over' | 'cut off',
  capBytes: number,
): ReadBody {
  if (bytes === 'over') {
    return refused('payload_too_large', ERROR_MESSAGES.payload_too_large(capBytes));
  }
  // The caller closed the connection: no one reads the answer, and it is not an outage.
  if (bytes === 'cut off') return refused('invalid_request', 'The body ended early.');
  const isJson = isJsonType(incoming.headers['content-type']);
  if (bytes.length === 0 && !isJson) return { kind: 'empty' };
  if (!isJson) {
    return refused('unsupported_media_type', ERROR_MESSAGES.unsupported_media_type);
  }
  if (!isUtf8(bytes)) return refused('invalid_request', 'The body is not valid UTF-8.');
  try {
    return { kind: 'json', value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return refused('invalid_request', 'The body is not valid JSON.');
  }
}

/** The body in the shape of the schema. @throws TransportError that names the field */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: ReadBody,
): z.output<Schema> {
  if (body.kind === 'refused') throw body.error;
  if (body.kind === 'empty') throw invalidRequest('The body must be a JSON object.');
  const result = safeParse(schema, body.value);
  if (!result.success) throw invalidField(result.error);
  return result.data;
}

/** For routes that take `{}`, or no body at all. */
export function requireNoFields(body: ReadBody): void {
  if (body.kind !== 'empty') parseBody(emptyRequestSchema, body);
}

const refused = (code: TransportError['code'], message: string): ReadBody => ({
  kind: 'refused',
  error: new TransportError(code, message),
});

const isJsonType = (contentType: string | undefined) =>
  contentType === 'application/json' ||
  /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?;?$/i.test(contentType?.trim() ?? '');

/** How long the rest of a body that is too large is read and discarded, in ms. */
const DISCARD_MS = 250;

/**
 * Reads and discards what is still arriving: closing a socket with unread bytes resets the
 * connection, and the caller would lose the answer.
 */
function discarded(incoming: IncomingMessage): Promise<'over'> {
  incoming.removeAllListeners('data').resume();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      resolve('over');
    };
    const timer = setTimeout(done, DISCARD_MS);
    incoming.once('end', done).once('close', done);
  });
}

function readCapped(
  incoming: IncomingMessage,
  capBytes: number,
): Promise<Buffer | 'over' | 'cut off'> {
  if (Number(incoming.headers['content-length'] ?? 0) > capBytes) return discarded(incoming);
  if (incoming.destroyed) return Promise.resolve('cut off');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > capBytes) {
        chunks.length = 0;
        resolve(discarded(incoming));
      } else {
        chunks.push(chunk);
      }
    });
    incoming.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
    );
    incoming.once('error', () => resolve('cut off'));
    incoming.once('close', () => resolve('cut off'));
  });
}
