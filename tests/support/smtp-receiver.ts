import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as its receiver sees it. */
export interface ReceivedMail {
  from: string;
  to: readonly string[];
  /** By name in lower case; folded lines are joined. */
  headers: Record<string, string>;
  /** The body, decoded. */
  text: string;
}

export interface SmtpReceiver {
  /** `smtp://127.0.0.1:…`, without a user. */
  readonly url: string;
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** The user and password of each sign-in. */
  readonly signIns: readonly string[];
  /** How it answers from now on: it accepts mail, does not greet, or refuses it with a reply code. */
  answer: 'accept' | 'never' | number;
  close(): Promise<void>;
}

/** Listens like a mail server, without TLS. */
export async function startSmtpReceiver(): Promise<SmtpReceiver> {
  const mails: ReceivedMail[] = [];
  const signIns: string[] = [];
  const receiver = { answer: 'accept' as SmtpReceiver['answer'] };
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onConnect(_session, done) {
      if (receiver.answer !== 'never') done();
    },
    onAuth({ username, password }, _session, done) {
      signIns.push(`${username}:${password}`);
      if (password === 'wrong') done(new Error('no such user'));
      else done(null, { user: username });
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (typeof receiver.answer === 'number') {
          done(Object.assign(new Error('no mail today'), { responseCode: receiver.answer }));
          return;
        }
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        const to = rcptTo.map(({ address }) => address);
        mails.push({ from, to, ...parsed(Buffer.concat(chunks).toString('latin1')) });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    signIns,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

function parsed(message: string) {
  const end = message.indexOf('\r\n\r\n');
  const lines = message
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? [];
    headers[name.toLowerCase()] = encodedWords(value);
  }
  const body = message.slice(end + 4);
  return { headers, text: decoded(body, headers['content-transfer-encoding'] ?? '7bit') };
}

/** RFC 2047. */
const encodedWords = (value: string) =>
  value
    .replaceAll(/\?= =\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString()
        : quotedPrintable(text.replaceAll('_', ' ')),
    );

function decoded(body: string, encoding: string): string {
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? quotedPrintable(body.replaceAll('=\r\n', ''))
        : body;
  return text.replaceAll('\r\n', '\n').trimEnd();
}

const quotedPrintable = (text: string) =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString();
