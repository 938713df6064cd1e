/** Mail as a mail server receives it. */
import { createMailer, MailError } from '@ceiba/process/mail';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startSmtpReceiver } from '../../support/smtp-receiver.ts';

const receiver = await startSmtpReceiver();
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.answer = 'accept';
});

const from = 'Ceiba <ceiba@example.com>';
const mail = { to: 'ops@example.com', subject: 'Quota of *Prüfung* at 80 %', text: 'It is.\nBye' };
const sendTo = (url: string, change: Partial<typeof mail & { id: string }> = {}) =>
  createMailer({ url, from }).send({ ...mail, ...change });
const errorOf = (sent: Promise<void>) =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );
const withUser = (host: string, password = 'p%40ss') =>
  `smtp://user:${password}@${host}:${receiver.port}`;

describe('a mail', () => {
  it('arrives as plain text with its sender, subject and identifier', async () => {
    await sendTo(receiver.url, { id: 'alert-1' });
    expect(receiver.mails.at(-1)).toEqual({
      from: 'ceiba@example.com',
      to: ['ops@example.com'],
      headers: expect.objectContaining({
        from: 'Ceiba <ceiba@example.com>',
        to: 'ops@example.com',
        subject: mail.subject,
        'message-id': '<alert-1@example.com>',
        'content-type': expect.stringContaining('text/plain; charset=utf-8'),
        'auto-submitted': 'auto-generated',
      }),
      text: mail.text,
    });
  });

  it('goes to one address, and its subject adds no header', async () => {
    await sendTo(receiver.url, { subject: 'a\r\nBcc: b@example.com' });
    const { to, headers } = receiver.mails.at(-1)!;
    expect(to).toEqual(['ops@example.com']);
    expect(headers).not.toHaveProperty('bcc');
    const sent = receiver.mails.length;
    await errorOf(sendTo(receiver.url, { to: 'a@example.com, b@example.com' }));
    for (const { to } of receiver.mails.slice(sent)) expect(to).toHaveLength(1);
  });

  it('is sent after a sign-in with the user of the address', async () => {
    await sendTo(withUser('127.0.0.1'));
    expect(receiver.signIns.at(-1)).toBe('user:p@ss');
  });
});

describe('a mail that is not accepted', () => {
  it.each([451, 550])('is an error with reply code %i', async (status) => {
    receiver.answer = status;
    const error = await errorOf(sendTo(receiver.url));
    expect(error).toBeInstanceOf(MailError);
    expect(error).toMatchObject({ status, message: expect.stringContaining('no mail today') });
  });

  it('is an error without a code where no server listens', async () => {
    const gone = await startSmtpReceiver();
    await gone.close();
    expect(await errorOf(sendTo(gone.url))).toMatchObject({ name: 'MailError', status: null });
  });

  it('is an error that shows no password after a failed sign-in', async () => {
    const error = (await errorOf(sendTo(withUser('127.0.0.1', 'wrong')))) as MailError;
    expect(error).toMatchObject({ name: 'MailError', status: 535 });
    expect(`${error.message} ${error.stack} ${error.cause}`).not.toContain('wrong');
  });
});

describe('a password', () => {
  // An IPv4 address that does not read as loopback, as the name of another machine would.
  const elsewhere = '[::ffff:127.0.0.1]';

  it('is not sent to another machine without TLS', async () => {
    const before = receiver.signIns.length;
    const error = await errorOf(sendTo(withUser(elsewhere)));
    expect(error).toMatchObject({ message: expect.stringMatching(/TLS/) });
    expect(receiver.signIns).toHaveLength(before);
  });

  it('is sent to it if the address says that TLS is not required', async () => {
    await sendTo(`${withUser(elsewhere)}?requireTLS=false`);
    expect(receiver.signIns.at(-1)).toBe('user:p@ss');
  });
});
