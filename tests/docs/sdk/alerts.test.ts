/** The server of docs/learn/alerts.md, as it is printed there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@ceiba/devstack/ports';
import { afterAll, expect, it } from 'vitest';
import {
  makeWebhook,
  queueTest,
  startSender,
  untilDelivery,
} from '../../integration/alerts/support.ts';
import { useBench } from '../../integration/schema/support.ts';
import { until } from '../../support/until.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/learn/alerts.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'ceiba-alerts-guide-'));
const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});
const bench = useBench();

it("the guide's server accepts alerts of its secret and refuses all others", async () => {
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'server.mjs'), code);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const [ours, foreign] = [await makeWebhook(bench, url), await makeWebhook(bench, url)];
  const server = spawn(process.execPath, [join(folder, 'server.mjs')], {
    env: { PORT: String(port), CEIBA_WEBHOOK_SECRET: ours.secret },
  });
  stops.push(async () => {
    server.kill();
    await once(server, 'exit');
  });
  let printed = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (text) => {
      printed += text;
    });
  }
  await until('the server listens', async () => (await fetch(url)).status === 400);
  await queueTest(bench.ctx, ours);
  await queueTest(bench.ctx, foreign);
  const sender = startSender(bench);
  stops.push(() => sender.stop());
  const accepted = await untilDelivery(
    bench,
    ours,
    'is accepted',
    ({ status }) => status !== 'pending',
  );
  expect(accepted).toMatchObject({ status: 'delivered', lastStatus: 204 });
  await untilDelivery(bench, foreign, 'is refused', ({ lastStatus }) => lastStatus === 400);
  expect(printed).toContain(`${accepted.eventId} alert.test`);
  expect(printed).toContain('The header webhook-id is missing');
  expect(printed).toContain('No signature in webhook-signature is by this secret');
});

it('the guide names every alert and its retries', async () => {
  const { ALERT_TYPES, RETRY_PAUSES_SECONDS } = await import('@ceiba/domain');
  for (const type of Object.keys(ALERT_TYPES)) expect(guide).toContain(`| \`${type}\` |`);
  const [, named = ''] =
    /sent again 5 seconds, 5 minutes, 30 minutes, (.*) hours after/.exec(guide) ?? [];
  const hours = RETRY_PAUSES_SECONDS.slice(3).map((seconds) => seconds / 3_600);
  expect(named.match(/\d+/g)?.map(Number)).toEqual(hours);
});
