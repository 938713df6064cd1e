import { connect } from 'node:net';
import { quantile } from './quantile.mjs';

/** A request that found no free connection for this long is given up, in ms. */
const UNSENT_MS_MAX = 1_000;

/**
 * The result of one request. Times are in ms. `tookMs` counts from the moment that it was due, sent or
 * not: a server that stops answering cannot hide it by slowing the generator down. `sentMs` counts from
 * the moment that it was sent; the rest is the time without a free connection.
 *
 * @typedef {{ dueAt: number, status: number, tookMs: number, sentMs: number }} Sample `dueAt` is ms
 *   since the start; `status` is 0 where there was no answer.
 */

/**
 * Sends requests at a set rate over keep-alive connections, whether or not earlier ones are answered.
 *
 * @param {object} stream
 * @param {number} stream.port
 * @param {() => string} stream.next The whole next request, as it goes over the wire.
 * @param {number} stream.perSecond Infinity sends the next request of a connection with its answer.
 * @param {number} stream.seconds
 * @param {number} stream.connections
 * @returns {Promise<Sample[]>}
 */
export async function sendAtRate({ port, next, perSecond, seconds, connections }) {
  /** @type {Sample[]} */
  const samples = [];
  const free = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const isClosedLoop = perSecond === Number.POSITIVE_INFINITY;
  const dueAtOf = (request) => (request * 1_000) / perSecond;
  /** How many requests were sent, or given up. */
  let taken = 0;
  let open = 0;

  const note = (dueAt, status, sentAt) => {
    const now = elapsedMs();
    samples.push({ dueAt, status, tookMs: now - dueAt, sentMs: now - sentAt });
  };
  const send = (connection, dueAt) => {
    open += 1;
    const sentAt = elapsedMs();
    connection.ask(next(), (status) => {
      open -= 1;
      note(dueAt, status, sentAt);
      free.push(connection);
      sendDue();
    });
  };
  const sendDue = () => {
    if (isClosedLoop) {
      while (free.length > 0 && elapsedMs() < seconds * 1_000) send(free.pop(), elapsedMs());
      return;
    }
    const now = elapsedMs();
    for (; free.length > 0 && isDue(now); taken += 1) {
      const dueAt = dueAtOf(taken);
      if (now - dueAt > UNSENT_MS_MAX) note(dueAt, 0, now);
      else send(free.pop(), dueAt);
    }
  };
  const isDue = (now) => !isClosedLoop && dueAtOf(taken) < Math.min(now, seconds * 1_000);

  await new Promise((resolve) => {
    const timer = setInterval(() => {
      sendDue();
      const now = elapsedMs();
      if (now < seconds * 1_000 || open > 0 || isDue(now)) return;
      clearInterval(timer);
      resolve(undefined);
    }, 1);
  });
  for (const connection of free) connection.close();
  return samples;
}

const STATUS_AT = 'HTTP/1.1 '.length;

/** One keep-alive connection with one request in flight at a time; it connects again when it breaks. */
async function openConnection(port) {
  /** @type {((status: number) => void) | null} */
  let onAnswer = null;
  let received = '';
  const answer = (status) => {
    const done = onAnswer;
    onAnswer = null;
    received = '';
    done?.(status);
  };
  const dial = () => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk;
      const bodyAt = received.indexOf('\r\n\r\n') + 4;
      if (bodyAt < 4) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (received.length >= bodyAt + length) {
        answer(Number(received.slice(STATUS_AT, STATUS_AT + 3)));
      }
    });
    socket.on('close', () => answer(0));
    return socket;
  };
  let socket = dial();
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    ask(text, done) {
      if (socket.destroyed) socket = dial();
      onAnswer = done;
      socket.write(text);
    },
    close: () => socket.destroy(),
  };
}

/**
 * @param {Sample[]} samples
 * @returns {{ sent: number, decided: number, shed: number, failed: number, p50Ms: number, p99Ms: number,
 *   p99SentMs: number }} Latencies of what was decided, that is answered 200; the last one since it was
 *   sent.
 */
export function summaryOf(samples) {
  const answered = samples.filter(({ status }) => status === 200);
  const decided = answered.map(({ tookMs }) => tookMs);
  const shed = samples.filter(({ status }) => status === 503).length;
  return {
    sent: samples.length,
    decided: decided.length,
    shed,
    failed: samples.length - decided.length - shed,
    p50Ms: quantile(decided, 0.5),
    p99Ms: quantile(decided, 0.99),
    p99SentMs: quantile(
      answered.map(({ sentMs }) => sentMs),
      0.99,
    ),
  };
}
