import type { ClaimedDelivery } from '@ceiba/schema';
import { expect, it } from 'vitest';
import { mailOf } from './mail-text.ts';

it('leads to the key that was revoked, which the list of active keys no longer has', () => {
  const delivery = {
    event: {
      id: 'event',
      type: 'api_key.revoked',
      data: {
        project: { id: 'p', name: 'Reports' },
        actor: 'ana@example.com',
        target: { id: 'k', name: 'Mobile app' },
      },
    },
    address: 'ops@example.com',
    projectId: 'p',
    destinationId: 'd',
  } as unknown as ClaimedDelivery;
  const { subject, text } = mailOf(delivery, 'https://console.example.com');
  expect(subject).toBe('[Ceiba] Reports: key Mobile app was revoked');
  expect(text).toContain('\nhttps://console.example.com/projects/p/keys/k\n');
});
