import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { signingSecretText } from '@ceiba/alerts/sign';
import { rotateSigningSecret } from '@ceiba/schema';
import { afterAll, describe, expect, it } from 'vitest';
import { makeWebhook, queueTest, startSender } from '../integration/alerts/support.ts';
import { useBench } from '../integration/schema/support.ts';
import { until } from '../support/until.ts';
import { type ReceivedWebhook, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { builtSdk, loadSdk } from './support/sdk.ts';

/* What the sender of alerts delivers, through the verifiers of the built package and of the Python client. */

const run = promisify(execFile);
const python = fileURLToPath(new URL('../../clients/python', import.meta.url));
const { webhooks } = await loadSdk();
const commonJs: typeof webhooks = createRequire(import.meta.url)(`${builtSdk}/webhooks.cjs`);
const bench = useBench();
const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());

const VERIFY = `
import json, sys
from ceiba.webhooks import WebhookVerificationError, WebhookVerifier
given = json.loads(sys.argv[1])
try:
    print(json.dumps(WebhookVerifier(given["secret"]).verify(given["body"], given["headers"])))
except WebhookVerificationError as error:
    print(json.dumps({"problem": error.problem}))
`;

type Verify = (webhook: ReceivedWebhook, secret: string) => Promise<unknown>;

const inNode =
  ({ createWebhookVerifier }: typeof webhooks): Verify =>
  ({ body, headers }, secret) =>
    createWebhookVerifier({ secret })(body, headers).catch(({ problem }) => ({ problem }));

const VERIFIERS: Record<string, Verify> = {
  'an ES module': inNode(webhooks),
  CommonJS: inNode(commonJs),
  async Python({ body, headers }, secret) {
    const { stdout } = await run(
      process.platform === 'win32' ? 'python' : 'python3',
      ['-c', VERIFY, JSON.stringify({ body, headers, secret })],
      { env: { PATH: process.env.PATH, PYTHONPATH: python, PYTHONDONTWRITEBYTECODE: '1' } },
    );
    return JSON.parse(stdout);
  },
};

describe.each(Object.entries(VERIFIERS))('the verifier in %s', (_name, verify) => {
  it('accepts what is sent while a secret is rotated by either, and nothing that was changed', async () => {
    receiver.received.length = 0;
    const hook = await makeWebhook(bench, receiver.url);
    const next = Buffer.alloc(24, 7);
    await rotateSigningSecret(bench.ctx, { ...hook, signingSecret: next });
    await queueTest(bench.ctx, hook);
    const sender = startSender(bench);
    await until('it arrives', () => receiver.received.length === 1);
    await sender.stop();
    const [sent] = receiver.received as [ReceivedWebhook];

    const { id } = (await verify(sent, hook.secret)) as { id: string };
    expect(id).toBe(sent.headers['webhook-id']);
    for (const secret of [hook.secret, signingSecretText(next)]) {
      expect(await verify(sent, secret)).toEqual({
        id,
        type: 'alert.test',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        data: { project: { id: hook.projectId, name: hook.name } },
      });
    }
    const refused = { problem: 'wrong_signature' };
    expect(await verify(sent, signingSecretText(Buffer.alloc(24)))).toEqual(refused);
    expect(await verify({ ...sent, body: `${sent.body} ` }, hook.secret)).toEqual(refused);
    const headers = { ...sent.headers, 'webhook-id': `${id}0` };
    expect(await verify({ ...sent, headers }, hook.secret)).toEqual(refused);
  });
});
