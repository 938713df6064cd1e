/** The stream of the audit log as its receivers see it, and what happens if one of both fails. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { signingSecretText } from '@ceiba/alerts/sign';
import { applyRetention, recordRefusedSignIn, takeAuditEntries } from '@ceiba/schema';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { auditOtlp } from '../../../packages/alerts/src/audit-stream/otlp.ts';
import {
  type AuditDestination,
  AuditStream,
} from '../../../packages/alerts/src/audit-stream/stream.ts';
import { auditWebhook } from '../../../packages/alerts/src/audit-stream/webhook.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { until } from '../../support/until.ts';
import { makeOwner, useBench } from '../schema/support.ts';

const bench = useBench();
const secret = randomBytes(32);
const SILENT = { info() {}, warn() {}, error() {} };
const stops: (() => Promise<unknown>)[] = [];
beforeEach(() => bench.db.sql`truncate audit_log, audit_outbox, audit_streams`);
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Writes a row of the log, as any process does. */
const write = async (sql: Pick<typeof bench.db, 'sql'>['sql'] = bench.db.sql): Promise<number> => {
  const [row] = await sql<{ id: string }[]>`
    insert into audit_log (actor_kind, actor_label, action, target_kind, target_id, after)
    values ('cli', 'ceiba CLI', 'plan.create', 'plan', ${randomUUID()}, '{"name": "Pro"}')
    returning id`;
  return Number(row!.id);
};
const waiting = async () => (await bench.db.sql`select 1 from audit_outbox`).length;
const take = (holder = 'one', delivered: number[] = [], stream = 'webhook') =>
  takeAuditEntries(bench.db, { stream, holder, holdSeconds: 60, delivered, most: 100 });
const idsOf = (entries: readonly { auditId: number }[]) => entries.map(({ auditId }) => auditId);

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver that answers the n-th request as `answer` says, and what it accepted. */
async function startReceiver(answer: (n: number) => number | 'reset' = () => 204) {
  const accepted: Received[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    count += 1;
    const given = answer(count);
    if (given === 'reset') return void request.socket.destroy();
    const { headers } = request;
    if (given < 300) accepted.push({ headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(given).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/audit`, accepted, count: () => count };
}

function stream(destination: AuditDestination) {
  const warnings: unknown[] = [];
  const started = new AuditStream({
    destination,
    holder: randomUUID(),
    run: (work) => work(bench.db),
    log: { info() {}, warn: (...parts: unknown[]) => void warnings.push(parts), error() {} },
    pollMs: 10,
  });
  stops.push(() => started.stop());
  return { warnings };
}

const untilStarted = (name: string) =>
  until('the stream has started', async () => {
    const rows = await bench.db.sql`select 1 from audit_streams where name = ${name}`;
    return rows.length === 1;
  });

describe('the queue of a stream', () => {
  it('begins with its first use, and costs other logs nothing', async () => {
    await write();
    expect(await waiting()).toBe(0);
    expect(await take()).toEqual([]);
    const id = await write();
    expect(idsOf(await take())).toEqual([id]);
  });

  it('has a row that commits after rows with higher numbers', async () => {
    await take();
    const before = await write();
    let early = 0;
    const late = await bench.db.sql.begin(async (tx) => {
      const id = await write(tx as never);
      early = await write();
      const seen = await take();
      expect(idsOf(seen)).toEqual([before, early]);
      expect(
        await take(
          'one',
          seen.map(({ outboxId }) => outboxId),
        ),
      ).toEqual([]);
      return id;
    });
    expect(late).toBeLessThan(early);
    const after = await write();
    expect(idsOf(await take())).toEqual([late, after]);
  });

  it('has nothing of a change that was rolled back, and the order of changes that follow each other', async () => {
    await take();
    await bench.db.sql
      .begin(async (tx) => {
        await write(tx as never);
        throw new Error('rolled back');
      })
      .catch(() => {});
    const ids = [];
    for (let n = 0; n < 20; n += 1) ids.push(await write());
    expect(idsOf(await take())).toEqual(ids);
  });

  it('holds up no change, whatever its sender does', async () => {
    await take();
    await bench.db.sql.begin(async (tx) => {
      await tx`select 1 from audit_streams for update`;
      await tx`lock table audit_outbox in row exclusive mode`;
      expect(await write()).toBeGreaterThan(0);
    });
  });

  it('belongs to one process at a time, and to another once that is over', async () => {
    await take();
    const id = await write();
    expect(await take('other')).toEqual([]);
    await bench.db.sql`update audit_streams set held_until = now()`;
    expect(idsOf(await take('other'))).toEqual([id]);
    expect(await take('one')).toEqual([]);
  });

  it('is its own for each destination', async () => {
    await take();
    await take('one', [], 'otlp');
    const id = await write();
    const [entry] = await take();
    expect(await take('one', [entry!.outboxId])).toEqual([]);
    expect(idsOf(await take('one', [], 'otlp'))).toEqual([id]);
  });

  it('leaves out rows that the retention has removed', async () => {
    await take();
    await write();
    const kept = await write();
    await bench.db.sql`delete from audit_log where id <> ${kept}`;
    expect(idsOf(await take())).toEqual([kept]);
    expect(await waiting()).toBe(1);
  });

  it('ends a week after the last process that sent it', async () => {
    await take();
    await take('one', [], 'otlp');
    await write();
    await bench.db.sql`update audit_streams set held_until = now() - interval '8 days'
      where name = 'webhook'`;
    await applyRetention(bench.db, { maxRows: 100 });
    expect(await waiting()).toBe(1);
    await write();
    expect([...(await bench.db.sql`select distinct stream from audit_outbox`)]).toEqual([
      { stream: 'otlp' },
    ]);
  });
});

describe('a webhook of the audit log', () => {
  it('has an entry in a body, and a signature that the standardwebhooks library accepts', async () => {
    const receiver = await startReceiver();
    stream(auditWebhook({ url: receiver.url, signingSecrets: [secret] }));
    await untilStarted('webhook');
    const userId = await makeOwner(bench.ctx);
    await until('it arrived', () => receiver.accepted.length === 1);
    const [{ body, headers }] = receiver.accepted as [Received];
    const verified = new Webhook(signingSecretText(secret)).verify(
      body,
      headers as Record<string, string>,
    );
    expect(verified).toEqual({
      type: 'audit.entry',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        auditId: expect.any(Number),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        actor: {
          kind: 'cli',
          userId: null,
          label: 'ceiba CLI',
          tokenId: null,
          tokenName: null,
        },
        action: 'user.create',
        target: { kind: 'user', id: userId, label: expect.stringContaining('@') },
        projectId: null,
        ownerId: userId,
        clientAddress: bench.ctx.clientAddress,
        requestId: bench.ctx.requestId,
        before: null,
        after: expect.any(Object),
      },
    });
  });

  it('is sent again with each repeat that its row counts, under an id of its own', async () => {
    const receiver = await startReceiver();
    const userId = await makeOwner(bench.ctx);
    stream(auditWebhook({ url: receiver.url, signingSecrets: [secret] }));
    await untilStarted('webhook');
    for (let n = 1; n <= 3; n += 1) {
      await recordRefusedSignIn(bench.ctx, { action: 'sign_in.refuse', userId });
      await until('it arrived', () => receiver.accepted.length === n);
    }
    const entries = receiver.accepted.map(({ body }) => JSON.parse(body).data);
    expect(entries.map(({ after }) => after.attempts)).toEqual([1, 2, 3]);
    expect(new Set(idsOf(entries)).size).toBe(1);
    expect(new Set(receiver.accepted.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  it('waits in order while the receiver refuses, with the same id, and warns once', async () => {
    const receiver = await startReceiver((n) => (n <= 2 ? 500 : n === 3 ? 'reset' : 204));
    const { warnings } = stream(auditWebhook({ url: receiver.url, signingSecrets: [secret] }));
    await untilStarted('webhook');
    const ids = [await write(), await write()];
    await until('both arrived', () => receiver.accepted.length === 2);
    expect(receiver.accepted.map(({ body }) => JSON.parse(body).data.auditId)).toEqual(ids);
    expect(warnings).toHaveLength(1);
    await until('they are forgotten', async () => (await waiting()) === 0);
  });

  it('waits longer each time only while nothing is accepted', async () => {
    const receiver = await startReceiver((n) => (n % 2 === 0 ? 500 : 204));
    stream(auditWebhook({ url: receiver.url, signingSecrets: [secret] }));
    await untilStarted('webhook');
    // Thirty pauses that double would take half an hour.
    for (let n = 0; n < 30; n += 1) await write();
    await until('all are delivered', async () => (await waiting()) === 0, 60_000);
  }, 90_000);

  it('loses no row to a receiver that fails and a process that is killed, and keeps their order', async () => {
    const answers = [204, 204, 204, 500, 204, 204, 'reset', 204] as const;
    const receiver = await startReceiver((n) => answers[n % answers.length] ?? 204);
    const start = (): ChildProcess =>
      spawn(
        process.execPath,
        ['--import', 'tsx', fileURLToPath(new URL('./audit-stream-process.ts', import.meta.url))],
        {
          env: {
            PATH: process.env.PATH,
            DATABASE_URL: bench.url,
            RECEIVER_URL: receiver.url,
            SIGNING_SECRET: signingSecretText(secret),
          },
          stdio: 'ignore',
        },
      );
    const ids: number[] = [];
    let child = start();
    stops.push(async () => child.kill('SIGKILL'));
    await until(
      'the stream has started',
      async () => {
        const rows = await bench.db.sql`select 1 from audit_streams`;
        return rows.length === 1;
      },
      60_000,
    );
    for (let round = 1; round <= 3; round += 1) {
      for (let n = 0; n < 30; n += 1) ids.push(await write());
      const enough = (round - 1) * 30 + 10;
      await until('some have arrived', () => receiver.accepted.length >= enough, 60_000);
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      child = start();
    }
    await until('all are delivered', async () => (await waiting()) === 0, 60_000);
    const arrived = receiver.accepted.map(({ body }) => JSON.parse(body).data.auditId as number);
    expect([...new Set(arrived)]).toEqual(ids);
    const webhook = new Webhook(signingSecretText(secret));
    for (const { body, headers } of receiver.accepted) {
      expect(webhook.verify(body, headers as Record<string, string>)).toBeDefined();
    }
    // What was accepted and not yet forgotten when the process was killed, at most one each time.
    expect(arrived.length - ids.length).toBeLessThanOrEqual(3);
  }, 240_000);
});

it('by OTLP each row is a log record, and none is lost while the receiver refuses', async () => {
  const receiver = await startOtlpReceiver();
  stops.push(() => receiver.close());
  receiver.answer = 400;
  stream(await auditOtlp(`${receiver.url}/v1/logs`, SILENT));
  await untilStarted('otlp');
  const ids = [];
  for (let n = 0; n < 120; n += 1) ids.push(await write());
  await until('it was refused', () => receiver.headers.length > 0);
  expect(await waiting()).toBe(120);
  receiver.answer = 'at once';
  await until('all are delivered', async () => (await waiting()) === 0, 30_000);
  expect(receiver.logs.map(({ attributes }) => attributes['ceiba.audit.id'])).toEqual(ids);
  expect(receiver.logs[0]).toMatchObject({
    eventName: 'ceiba.audit',
    body: expect.stringMatching(/^ceiba CLI plan\.create /),
    attributes: {
      'ceiba.audit.action': 'plan.create',
      'ceiba.audit.actor.kind': 'cli',
      'ceiba.audit.after': '{"name":"Pro"}',
    },
    resource: { 'service.name': 'ceiba' },
  });
});

it('by OTLP the number of entries that the receiver rejects is an error in the log', async () => {
  const receiver = await startOtlpReceiver();
  stops.push(() => receiver.close());
  const error = vi.fn();
  stream(await auditOtlp(`${receiver.url}/v1/logs`, { ...SILENT, error }));
  await untilStarted('otlp');
  await write();
  await until('it is delivered', async () => (await waiting()) === 0);
  expect(error).not.toHaveBeenCalled();
  // partial_success { rejected_log_records: 3, error_message: "full" }
  receiver.response = Buffer.from([0x0a, 8, 0x08, 3, 0x12, 4, ...Buffer.from('full')]);
  await write();
  await until('it is delivered', async () => (await waiting()) === 0);
  expect(error.mock.calls).toEqual([
    [
      {
        rejected: 3,
        problem: expect.stringContaining('"errorMessage":"full"'),
      },
      'the receiver of AUDIT_OTLP_ENDPOINT rejected entries of the audit log; they are not sent again',
    ],
  ]);
});
