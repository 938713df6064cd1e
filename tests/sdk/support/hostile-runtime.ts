import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { allowDecision } from '@ceiba/sdk/testing';

/** Answers on a connection on which a complete request has arrived. */
type Answer = (socket: Socket) => void;

/** One way in which a Runtime, or another server at its address, can fail. */
export interface Failure {
  readonly name: string;
  /** The status with which the host must answer. */
  readonly hostStatus: number;
  readonly answer: Answer;
  /** Fails when a connection opens, before any request. */
  readonly onConnect?: Answer;
  /** The answer never arrives before the deadline, so the run can use a short one. */
  readonly isSlow?: boolean;
  /** Does not speak HTTP: the host connects over https, so that the TLS handshake hangs. */
  readonly overTls?: boolean;
}

/** A complete, valid allow: only its surroundings may prevent the request from being allowed. */
export const ALLOW = JSON.stringify(allowDecision());
const NOTHING: Answer = () => undefined;

function head(status: number, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n`;
}

/** One HTTP answer as sent on the wire. */
export function replyText(status: number, body: string, type = 'application/json'): string {
  const length = Buffer.byteLength(body);
  return head(status, { 'content-type': type, 'content-length': length }) + body;
}

const sends =
  (text: string): Answer =>
  (socket) =>
    void socket.write(text);
const sendsAndCloses =
  (text: string): Answer =>
  (socket) =>
    void socket.end(text);

/** Writes a text piece by piece until its end, or until the connection closes. */
function drips(text: string, piece: number, everyMs: number): Answer {
  return (socket) => {
    let at = 0;
    const timer = setInterval(() => {
      if (at >= text.length || socket.destroyed) clearInterval(timer);
      else socket.write(text.slice(at, at + piece));
      at += piece;
    }, everyMs);
    socket.once('close', () => clearInterval(timer));
  };
}

/** Writes a head and then `megabytes`, as fast as the other side reads them. */
function floods(start: string, megabytes: number, end = ''): Answer {
  return (socket) => {
    const piece = 'a'.repeat(1_000_000);
    const pieces = Array.from({ length: megabytes }, () => piece);
    Readable.from([start, ...pieces, end], { objectMode: false }).pipe(socket, { end: false });
  };
}

/** Answers with a valid allow after padding. */
function paddedAllow(status: number, megabytes: number): Answer {
  const [start, end] = ['{"padding":"', `",${ALLOW.slice(1)}`];
  const length = start.length + megabytes * 1_000_000 + end.length;
  const headers = { 'content-type': 'application/json', 'content-length': length };
  return floods(head(status, headers) + start, megabytes, end);
}

/** An allow with some fields replaced; undefined removes a field. */
function allowWith(changes: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...allowDecision(), ...changes });
}

const brokenOff = head(200, { 'content-type': 'application/json', 'content-length': 9_999 });
const chunked = head(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

const UNREACHABLE: Failure[] = [
  {
    name: 'resets each connection',
    hostStatus: 503,
    answer: NOTHING,
    onConnect: (socket) => void socket.resetAndDestroy(),
  },
  {
    name: 'resets after the request',
    hostStatus: 503,
    answer: (socket) => void socket.resetAndDestroy(),
  },
  { name: 'closes without an answer', hostStatus: 503, answer: (socket) => void socket.end() },
  {
    name: 'answers with noise',
    hostStatus: 503,
    answer: sendsAndCloses('SSH-2.0-OpenSSH_9.6\r\n'),
  },
  { name: 'breaks off in the status line', hostStatus: 503, answer: sendsAndCloses('HTTP/1.1 20') },
  {
    name: 'breaks off in the headers',
    hostStatus: 503,
    answer: sendsAndCloses('HTTP/1.1 200 OK\r\ncontent-type: appli'),
  },
  {
    name: 'switches protocols',
    hostStatus: 503,
    answer: sends(head(101, { connection: 'upgrade', upgrade: 'allow' }) + ALLOW),
  },
  {
    name: 'sends 50 MB of headers',
    hostStatus: 503,
    answer: floods('HTTP/1.1 200 OK\r\nx-a: ', 50),
  },
];

const SLOW: Failure[] = [
  { name: 'hangs in the TLS handshake', hostStatus: 503, answer: NOTHING, overTls: true },
  { name: 'never answers', hostStatus: 503, answer: NOTHING },
  { name: 'hangs after the status line', hostStatus: 503, answer: sends('HTTP/1.1 200 OK\r\n') },
  {
    name: 'hangs in the headers',
    hostStatus: 503,
    answer: sends(`${brokenOff.slice(0, -2)}x-a: b`),
  },
  { name: 'hangs before the body', hostStatus: 503, answer: sends(brokenOff) },
  {
    name: 'hangs in the body',
    hostStatus: 503,
    answer: sends(`${brokenOff}${ALLOW.slice(0, 40)}`),
  },
  { name: 'hangs after a whole allow', hostStatus: 503, answer: sends(`${brokenOff}${ALLOW}`) },
  { name: 'hangs in a chunked body', hostStatus: 503, answer: sends(`${chunked}${chunk(ALLOW)}`) },
  {
    name: 'sends one byte at a time',
    hostStatus: 503,
    answer: drips(replyText(200, ALLOW), 1, 100),
  },
  {
    name: 'sends 100 Continue for ever',
    hostStatus: 503,
    answer: drips('HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000), 25, 10),
  },
  {
    name: 'answers 500 and hangs in the body',
    hostStatus: 500,
    answer: sends(head(500, { 'content-length': 99 })),
  },
].map((failure) => ({ ...failure, isSlow: true }));

/** Each contains a complete allow, which must not count. */
const STATUSES: Failure[] = (
  [
    [500, 500],
    [501, 501],
    [502, 502],
    [503, 503],
    [504, 504],
    [599, 599],
    [600, 502],
    [999, 502],
    [401, 503],
    [403, 503],
    [400, 502],
    [404, 502],
    [408, 502],
    [409, 502],
    [413, 502],
    [415, 502],
    [418, 502],
    [429, 502],
    [201, 502],
    [202, 502],
    [206, 502],
  ] as const
).map(([status, hostStatus]) => ({
  name: `answers ${status}`,
  hostStatus,
  answer: sends(replyText(status, ALLOW)),
}));

/** Each redirects to a server that allows everything. */
const redirectsTo = (url: string): Failure[] =>
  [300, 301, 302, 303, 304, 307, 308].map((status) => ({
    name: `answers ${status}`,
    hostStatus: 502,
    answer: sendsAndCloses(head(status, { location: url, 'content-length': 0 })),
  }));

const NO_DECISION: Failure[] = [
  ['answers 204', head(204, {})],
  ['answers with an HTML page', replyText(200, '<h1>Welcome</h1>', 'text/html')],
  ['answers an allow as HTML', replyText(200, ALLOW, 'text/html')],
  ['answers an allow as text', replyText(200, ALLOW, 'text/plain')],
  [
    'answers an allow of no type',
    `HTTP/1.1 200 OK\r\ncontent-length: ${ALLOW.length}\r\n\r\n${ALLOW}`,
  ],
  ['answers an allow as something like JSON', replyText(200, ALLOW, 'application/json-seq')],
  ['answers with truncated JSON', replyText(200, ALLOW.slice(0, -1))],
  ['answers with two JSON values', replyText(200, ALLOW + ALLOW)],
  ['answers with no body', replyText(200, '')],
  ['answers null', replyText(200, 'null')],
  ['answers true', replyText(200, 'true')],
  ['answers an array', replyText(200, `[${ALLOW}]`)],
  ['answers an empty object', replyText(200, '{}')],
  ['answers "allowed":"true"', replyText(200, allowWith({ allowed: 'true' }))],
  ['answers "allowed":1', replyText(200, allowWith({ allowed: 1 }))],
  ['answers an allow without limits', replyText(200, allowWith({ limits: undefined }))],
  [
    'answers an allow with invalid limits',
    replyText(200, allowWith({ limits: { monthlyQuota: -1 } })),
  ],
  ['answers an allow without access', replyText(200, allowWith({ access: undefined }))],
  ['answers an allow without an id', replyText(200, allowWith({ decisionId: undefined }))],
  ['answers a denial without a reason', replyText(200, '{"allowed":false}')],
  ['answers with noise in gzip', replyText(200, '\x1f\x8b\x08\x00noise')],
  ['answers an allow of 70 kB', replyText(200, allowWith({ padding: 'x'.repeat(70_000) }))],
].map(([name = '', text = '']) => ({ name, hostStatus: 502, answer: sends(text) }));

const CUT: Failure[] = [
  ['breaks off in the body', `${brokenOff}${ALLOW.slice(0, 40)}`],
  ['breaks off after a whole allow', `${brokenOff}${ALLOW}`],
  ['breaks off in a chunked body', `${chunked}${chunk(ALLOW)}`],
].map(([name = '', text = '']) => ({ name, hostStatus: 502, answer: sendsAndCloses(text) }));

const DENIALS: Failure[] = [
  {
    name: 'denies for an unknown reason',
    hostStatus: 403,
    answer: sends(replyText(200, '{"allowed":false,"decisionId":"d","denialReason":"suspended"}')),
  },
  {
    name: 'denies with the fields of an allow',
    hostStatus: 429,
    answer: sends(replyText(200, allowWith({ allowed: false, denialReason: 'rate_limited' }))),
  },
];

const LARGE: Failure[] = [
  { name: 'answers an allow of 50 MB', hostStatus: 502, answer: paddedAllow(200, 50) },
  { name: 'answers 500 with 50 MB', hostStatus: 500, answer: paddedAllow(500, 50) },
  { name: 'answers 404 with 50 MB', hostStatus: 502, answer: paddedAllow(404, 50) },
];

/**
 * Every failure of the matrix.
 *
 * @param allowUrl the target of redirects: a server that allows everything.
 */
export function failures(allowUrl: string): Failure[] {
  return [
    ...UNREACHABLE,
    ...SLOW,
    ...STATUSES,
    ...redirectsTo(allowUrl),
    ...NO_DECISION,
    ...CUT,
    ...LARGE,
    ...DENIALS,
  ];
}

/** A server that fails in one way, for every request. */
export interface HostileRuntime {
  readonly url: string;
  /** Every complete request so far: its head and body. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Starts a server with a failure that can be changed, on a free port by default. */
export async function startHostileRuntime(
  failure: Failure,
  wantedPort = 0,
): Promise<HostileRuntime> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    if (failure.onConnect) failure.onConnect(socket);
    else {
      onEachRequest(socket, (request) => {
        requests.push(request);
        failure.answer(socket);
      });
    }
  });
  server.listen(wantedPort, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${failure.overTls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Calls back once for each complete request: head, and a body of its declared length. */
function onEachRequest(socket: Socket, callback: (request: string) => void): void {
  let pending = '';
  socket.on('data', (data) => {
    pending += data.toString('latin1');
    const end = pending.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(pending)?.[1] ?? 0);
    if (pending.length < end + 4 + length) return;
    const request = pending.slice(0, end + 4 + length);
    pending = pending.slice(request.length);
    callback(request);
  });
}

/** A Runtime that allows everything, so that no test passes for lack of an allow. */
export function startAllowingRuntime(port = 0): Promise<HostileRuntime> {
  const allowing = { name: 'allows', hostStatus: 200, answer: sends(replyText(200, ALLOW)) };
  return startHostileRuntime(allowing, port);
}
