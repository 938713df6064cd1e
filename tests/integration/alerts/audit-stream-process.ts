/** A process of its own that streams the audit log by webhook, which a test kills. */
import { randomUUID } from 'node:crypto';
import { AuditStream } from '../../../packages/alerts/src/audit-stream/stream.ts';
import { auditWebhook } from '../../../packages/alerts/src/audit-stream/webhook.ts';
import { connect } from '../../../packages/alerts/src/connect.ts';
import { parseSigningSecret } from '../../../packages/alerts/src/sign.ts';

const { DATABASE_URL = '', RECEIVER_URL = '', SIGNING_SECRET = '' } = process.env;
const secret = parseSigningSecret(SIGNING_SECRET);
if (secret === null) throw new Error('SIGNING_SECRET is no signing secret');
const line = (...parts: unknown[]) => console.log(...parts);

new AuditStream({
  destination: auditWebhook({ url: RECEIVER_URL, signingSecrets: [secret] }),
  holder: randomUUID(),
  run: connect({ databaseUrl: DATABASE_URL, applicationName: 'audit-stream-test' }, 1),
  log: { info: line, warn: line, error: line },
  pollMs: 10,
  holdSeconds: 1,
});
line('started');
