import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** A log record as a receiver of OTLP sees it, with its values as text. */
export interface ReceivedLog {
  eventName: string;
  /** When it happened, in ms since 1970. */
  atMs: number;
  body: string;
  attributes: Record<string, string | number>;
  /** Of the process that sent it. */
  resource: Record<string, string | number>;
}

/** A span as a receiver of OTLP sees it. */
export interface ReceivedSpan {
  /** In hex. */
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  traceState: string;
  name: string;
  kind: 'internal' | 'server' | 'other';
  /** In ms since 1970, with fractions. */
  startMs: number;
  endMs: number;
  attributes: Record<string, string | number>;
  events: { name: string; atMs: number; attributes: Record<string, string | number> }[];
  isError: boolean;
  /** Of the process that sent it. */
  resource: Record<string, string | number>;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly logs: readonly ReceivedLog[];
  readonly spans: readonly ReceivedSpan[];
  /** The bodies of the requests that were answered at once, uncompressed. */
  readonly bodies: readonly Buffer[];
  /** The headers of each request. */
  readonly headers: readonly Record<string, string | string[] | undefined>[];
  /** How it answers from now on: at once, never, or with a status. */
  answer: 'at once' | 'never' | number;
  /** What follows the status of an answer at once: a message of the protocol. */
  response: Buffer;
  close(): Promise<void>;
}

/** Listens like a collector: `POST /v1/logs` and `POST /v1/traces` with protobuf. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const logs: ReceivedLog[] = [];
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const headers: Record<string, string | string[] | undefined>[] = [];
  const receiver = { answer: 'at once' as OtlpReceiver['answer'], response: Buffer.alloc(0) };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST' || !/^\/v1\/(logs|traces)$/.test(request.url ?? '')) {
        response.writeHead(404).end();
        return;
      }
      headers.push(request.headers);
      if (receiver.answer === 'never') return;
      if (typeof receiver.answer === 'number') {
        response.writeHead(receiver.answer).end();
        return;
      }
      const body = Buffer.concat(chunks);
      const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      bodies.push(plain);
      if (request.url === '/v1/logs') logs.push(...logsOf(plain));
      else spans.push(...spansOf(plain));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(receiver.response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    logs,
    spans,
    bodies,
    headers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** The field numbers of opentelemetry/proto/collector/logs/v1 and opentelemetry/proto/logs/v1. */
function logsOf(request: Buffer): ReceivedLog[] {
  return messages(request, 1).flatMap((resourceLogs) => {
    const [resource] = messages(resourceLogs, 1);
    const ofProcess = attributesOf(resource ?? Buffer.alloc(0), 1);
    return messages(resourceLogs, 2).flatMap((scopeLogs) =>
      messages(scopeLogs, 2).map((record) => ({
        eventName: messages(record, 12)[0]?.toString() ?? '',
        atMs: Number(fixed64(record, 1) / 1_000_000n),
        body: String(textOrNumber(messages(record, 5)[0] ?? Buffer.alloc(0))),
        attributes: attributesOf(record, 6),
        resource: ofProcess,
      })),
    );
  });
}

/** The same of trace/v1: https://github.com/open-telemetry/opentelemetry-proto. */
function spansOf(request: Buffer): ReceivedSpan[] {
  return messages(request, 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1);
    const ofProcess = attributesOf(resource ?? Buffer.alloc(0), 1);
    return messages(resourceSpans, 2).flatMap((scopeSpans) =>
      messages(scopeSpans, 2).map((span) => ({
        traceId: messages(span, 1)[0]?.toString('hex') ?? '',
        spanId: messages(span, 2)[0]?.toString('hex') ?? '',
        traceState: messages(span, 3)[0]?.toString() ?? '',
        parentSpanId: messages(span, 4)[0]?.toString('hex') ?? '',
        name: messages(span, 5)[0]?.toString() ?? '',
        kind: KINDS[Number(varint(span, 6))] ?? ('other' as const),
        startMs: Number(fixed64(span, 7)) / 1e6,
        endMs: Number(fixed64(span, 8)) / 1e6,
        attributes: attributesOf(span, 9),
        events: messages(span, 11).map((event) => ({
          name: messages(event, 2)[0]?.toString() ?? '',
          atMs: Number(fixed64(event, 1)) / 1e6,
          attributes: attributesOf(event, 3),
        })),
        isError: messages(span, 15).some((status) => varint(status, 3) === 2n),
        resource: ofProcess,
      })),
    );
  });
}

const KINDS: Readonly<Record<number, 'internal' | 'server'>> = { 1: 'internal', 2: 'server' };

const attributesOf = (message: Buffer, field: number) =>
  Object.fromEntries(
    messages(message, field).map((pair) => [
      messages(pair, 1)[0]?.toString() ?? '',
      textOrNumber(messages(pair, 2)[0] ?? Buffer.alloc(0)),
    ]),
  );

/** A string or an integer; nothing else is sent. */
function textOrNumber(value: Buffer): string | number {
  const [text] = messages(value, 1);
  if (text !== undefined) return text.toString();
  const number = fieldsOf(value).find(({ field, wire }) => field === 3 && wire === 0);
  if (number === undefined) throw new Error('a value is neither a string nor an integer');
  return Number(number.value);
}

const messages = (message: Buffer, field: number) =>
  fieldsOf(message).flatMap((it) => (it.field === field && it.wire === 2 ? [it.bytes] : []));

const varint = (message: Buffer, field: number) =>
  fieldsOf(message).find((it) => it.field === field && it.wire === 0)?.value ?? 0n;

const fixed64 = (message: Buffer, field: number) =>
  fieldsOf(message)
    .find((it) => it.field === field && it.wire === 1)
    ?.bytes.readBigUInt64LE() ?? 0n;

interface Field {
  field: number;
  /** 0 varint, 1 eight bytes, 2 bytes with a length, 5 four bytes. */
  wire: number;
  value: bigint;
  bytes: Buffer;
}

/** Protobuf's wire format (https://protobuf.dev/programming-guides/encoding). */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('the message ends within a number');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    if (at + length > message.length) throw new Error('the message ends within a field');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = varint();
    const [field, wire] = [Number(key >> 3n), Number(key & 7n)];
    const value = wire === 0 ? varint() : 0n;
    const length = wire === 1 ? 8 : wire === 5 ? 4 : wire === 2 ? Number(varint()) : 0;
    fields.push({ field, wire, value, bytes: take(length) });
  }
  return fields;
}
