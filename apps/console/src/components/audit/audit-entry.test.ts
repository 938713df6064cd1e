import type { AuditRow } from '@ceiba/schema';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { AuditEntry } from './audit-entry.tsx';

const ROW: AuditRow = {
  auditId: 1,
  at: new Date('2026-11-20T13:05Z'),
  actor: { kind: 'user', userId: null, label: 'a@example.com', token: null },
  action: 'api_key.create',
  target: { kind: 'api_key', id: 'an-id', label: 'A key', exists: false },
  projectId: null,
  projectName: null,
  clientAddress: null,
  requestId: null,
  before: null,
  after: null,
};
const viewer = { userId: 'a-user', isAdministrator: false, may: () => false };

const entryWith = (after: unknown) =>
  renderToStaticMarkup(createElement(AuditEntry, { row: { ...ROW, after }, viewer }));

it.each(['2026-99-99T99:99:99Z', '2027-01-31T12:00:00Z'])('shows the name %s as it is', (name) => {
  expect(entryWith({ displayName: name })).toContain(name);
});

it.each(['expiresAt', 'currentPeriodEnd'])('shows %s as a time if it is one', (field) => {
  expect(entryWith({ [field]: '2027-01-31T12:00:00.000Z' })).toContain('31 Jan 2027, 12:00 UTC');
  expect(entryWith({ [field]: '2026-99-99T99:99:99Z' })).toContain('2026-99-99T99:99:99Z');
});
