import { describe, expect, it, vi } from 'vitest';
import { startAuditStreams } from './start.ts';

const { started, auditOtlp } = vi.hoisted(() => ({
  started: [] as string[],
  auditOtlp: vi.fn(),
}));
vi.mock('../connect.ts', () => ({ connect: () => async () => undefined }));
vi.mock('./otlp.ts', () => ({ auditOtlp }));
vi.mock('./stream.ts', () => ({
  AuditStream: class {
    constructor({ destination }: { destination: { name: string } }) {
      started.push(destination.name);
    }
  },
}));

describe('the destinations of the audit log', () => {
  it('start each by itself: the webhook does although OTLP cannot be set up', async () => {
    auditOtlp.mockRejectedValue(new Error('no such certificate'));
    const error = vi.fn();
    await startAuditStreams({
      databaseUrl: 'postgres://localhost/ceiba',
      applicationName: 'test',
      webhook: { url: 'http://127.0.0.1:9', signingSecrets: [Buffer.alloc(32)] },
      otlpUrl: 'http://127.0.0.1:9/v1/logs',
      log: { error } as never,
    });
    expect(started).toEqual(['webhook']);
    expect(error).toHaveBeenCalledExactlyOnceWith(
      { err: new Error('no such certificate') },
      'the audit log is not streamed by otlp',
    );
  });
});
