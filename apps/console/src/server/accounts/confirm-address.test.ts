import { beforeEach, describe, expect, it, vi } from 'vitest';
import { mailChangeLink, mailSignUpLink } from './confirm-address.ts';
import { countedTransactions } from './counted-transactions.fixture.ts';

const verbs = vi.hoisted(() => ({ chargeAccountMail: vi.fn(), findUserByEmail: vi.fn() }));
const sent = vi.hoisted(() => ({
  later: [] as (() => Promise<unknown>)[],
  mails: [] as unknown[],
}));

vi.mock('server-only', () => ({}));
vi.mock('next/server', () => ({ after: (work: () => Promise<unknown>) => sent.later.push(work) }));
vi.mock('@ceiba/schema', () => verbs);
vi.mock('../database.ts', () => ({}));
vi.mock('../mail.ts', () => ({
  configuredMailer: () => ({ send: async (mail: unknown) => sent.mails.push(mail) }),
}));
vi.mock('../../env.ts', () => ({
  env: () => ({ sessionSecret: 'x'.repeat(32), publicOrigin: 'https://ceiba.example.com' }),
}));

const { inDatabase } = countedTransactions();
const email = 'ana@example.com';
const owner = { userId: '11111111-1111-4111-8111-111111111111', sessionVersion: 0 };
const WAYS = [
  ['sign-up', () => mailSignUpLink(inDatabase, email)],
  ['a change of address', () => mailChangeLink(inDatabase, { ...owner, email })],
] as const;

beforeEach(() => {
  vi.resetAllMocks();
  sent.later.length = 0;
  sent.mails.length = 0;
  verbs.chargeAccountMail.mockResolvedValue({ kind: 'admitted' });
});

const runLater = async () => {
  for (const work of sent.later) await work();
};

describe.each(WAYS)('%s with a mail server', (_way, ask) => {
  it.each([
    ['a free', null, /^Finish|^Confirm/],
    ['a taken', { userId: 'someone', email }, /^You have an account already$/],
  ])(
    'does the same before its answer for %s address, which is looked up after it',
    async (_kind, known, subject) => {
      verbs.findUserByEmail.mockResolvedValue(known);
      expect(await ask()).toEqual({ kind: 'mailed' });
      expect(verbs.findUserByEmail).not.toHaveBeenCalled();
      expect(sent.mails).toEqual([]);
      await runLater();
      expect(sent.mails).toEqual([
        expect.objectContaining({ to: email, subject: expect.stringMatching(subject) }),
      ]);
    },
  );

  it('mails nothing over the limit', async () => {
    verbs.chargeAccountMail.mockResolvedValue({ kind: 'limited', retryAfterSeconds: 5 });
    expect(await ask()).toEqual({ kind: 'limited', retryAfterSeconds: 5 });
    expect(sent.later).toEqual([]);
  });
});

it('a user may change the letter case of their own address', async () => {
  verbs.findUserByEmail.mockResolvedValue({ ...owner, email: 'Ana@example.com' });
  await mailChangeLink(inDatabase, { ...owner, email });
  await runLater();
  expect(sent.mails).toEqual([
    expect.objectContaining({ subject: 'Confirm your new e-mail address' }),
  ]);
});
