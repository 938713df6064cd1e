import { ALERT_TYPES, CONFIRMATION, TEST_ALERT } from '@ceiba/domain';
import type { ClaimedDelivery } from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { mailOf } from './mail-text.ts';

/** What a user can choose, as someone would who wants to be read by strangers. */
const CHOSEN = 'WIN www.evil.example';

const mail = (type: string, of: object = {}) => {
  const delivery = {
    event: {
      id: 'event',
      type,
      data: {
        project: { id: 'p', name: CHOSEN },
        actor: CHOSEN,
        target: { id: 'k', name: CHOSEN },
        displayName: CHOSEN,
        keyPrefix: CHOSEN,
        causes: [CHOSEN],
        ...of,
      },
    },
    address: 'ops@example.com',
    projectId: 'p',
    destinationId: 'd',
  } as unknown as ClaimedDelivery;
  return mailOf(delivery, 'token', 'https://console.example.com');
};

describe.each([...Object.keys(ALERT_TYPES), TEST_ALERT, CONFIRMATION])('a mail of %s', (type) => {
  it('has a subject without any text that a user chose', () => {
    expect(mail(type).subject).toMatch(/^\[Ceiba\] [A-Za-z ]+$/);
    expect(mail(type).subject).not.toContain(CHOSEN);
  });

  it('can be unsubscribed from with one click, and from its text', () => {
    const { unsubscribeUrl, text } = mail(type);
    expect(unsubscribeUrl).toBe('https://console.example.com/api/alert-mail/token');
    expect(text).toContain('https://console.example.com/alert-mail#token');
  });
});

it('asks for confirmation without any text that a user chose', () => {
  expect(mail(CONFIRMATION).text).not.toContain(CHOSEN);
});

it('leads to the key that was revoked, which the list of active keys no longer has', () => {
  const { text } = mail('api_key.revoked');
  expect(text).toContain('\nhttps://console.example.com/projects/p/keys/k\n');
});

// A call whose policy has no cost is allowed all the same.
it.each([
  ['quota.threshold_reached', { threshold: 100 }],
  ['api_key.quota_nearly_used', {}],
  ['customer.quota_nearly_used', {}],
  ['api_key.quota_used_up', {}],
  ['customer.quota_used_up', {}],
])('says in %s that a used-up quota denies the calls that cost something', (type, of) => {
  expect(mail(type, of).text).toMatch(/calls that cost something are denied as quota_exceeded/);
});
