import { signingSecretText } from '@ceiba/alerts/sign';
import { describe, expect, it } from 'vitest';
import { parseSettings } from './env.ts';

const required = {
  DATABASE_URL: 'postgres://ceiba@127.0.0.1/ceiba',
  NEXTAUTH_SECRET: 'x'.repeat(32),
};

describe('the settings', () => {
  it('need a database and a secret, and default the rest', () => {
    expect(parseSettings(required)).toMatchObject({
      publicOrigin: 'http://localhost:3000',
      runtimeUrl: 'http://127.0.0.1:4000',
      runtimePublicUrl: 'http://127.0.0.1:4000',
      signUp: 'first-user',
      trustedProxyHops: 0,
      oidc: undefined,
    });
  });

  it('take an empty variable for an absent one', () => {
    expect(parseSettings({ ...required, SIGN_UP: '', OIDC_ISSUER: '' }).signUp).toBe('first-user');
  });

  it('take a list of hosts for the database, as the Runtime does', () => {
    const databaseUrl = 'postgres://ceiba:secret@one:5432,two:5433/ceiba';
    expect(parseSettings({ ...required, DATABASE_URL: databaseUrl })).toMatchObject({
      databaseUrl,
    });
  });

  it.each([
    ['DATABASE_URL', 'mysql://x'],
    ['NEXTAUTH_SECRET', 'short'],
    ['SIGN_UP', 'anyone'],
    ['TRUSTED_PROXY_HOPS', '-1'],
    ['NEXTAUTH_URL', 'https://ceiba.example.com/console'],
    ['NEXTAUTH_URL', 'https://ceiba.example.com/?a=b'],
    ['KEEP_ALIVE_TIMEOUT', '65s'],
    ['CEIBA_RUNTIME_URL', 'ftp://x'],
    ['CEIBA_RUNTIME_PUBLIC_URL', 'ceiba.example.com'],
    ['DECISION_LOG_URL_TEMPLATE', 'https://without-an-id.example'],
    ['DECISION_LOG_URL_TEMPLATE', 'javascript:{decisionId}'],
    ['SMTP_URL', 'mail.internal'],
    ['MAIL_FROM', 'no-reply'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.2.0.0'],
    ['GITHUB_CLIENT_ID', 'alone'],
  ])('name %s when it is wrong, and do not print its value', (name, value) => {
    const parse = () => parseSettings({ ...required, [name]: value });
    expect(parse).toThrow(name.startsWith('GITHUB') ? 'GITHUB_CLIENT_SECRET' : name);
    expect(parse).not.toThrow(value);
  });

  it('take a mail server only together with a sender', () => {
    const url = 'smtp://user:secret@mail.example.com:587';
    expect(parseSettings(required).mail).toBeUndefined();
    expect(parseSettings({ ...required, SMTP_URL: url, MAIL_FROM: 'a@b.example' }).mail).toEqual({
      url,
      from: 'a@b.example',
    });
    const alone = () => parseSettings({ ...required, SMTP_URL: url });
    expect(alone).toThrow('MAIL_FROM: is required together with SMTP_URL');
  });

  const secretOf = (bytes: number) => signingSecretText(Buffer.alloc(bytes));
  it.each([
    ['without a secret', undefined, 'is required together with AUDIT_WEBHOOK_URL'],
    ['with a short secret', secretOf(23), 'must be whsec_'],
    ['with three secrets', [24, 25, 26].map(secretOf).join(' '), 'must be whsec_'],
  ])('refuse a receiver of the audit log %s', (_, secret, problem) => {
    const receiver = { AUDIT_WEBHOOK_URL: 'https://siem.example', AUDIT_WEBHOOK_SECRET: secret };
    const parse = () => parseSettings({ ...required, ...receiver });
    expect(parse).toThrow(`AUDIT_WEBHOOK_SECRET: ${problem}`);
    if (secret) expect(parse).not.toThrow(secret);
  });

  it("print the Runtime's public address for hosts where the console uses another one", () => {
    const inside = { ...required, CEIBA_RUNTIME_URL: 'http://runtime:4000/' };
    expect(parseSettings(inside).runtimePublicUrl).toBe('http://runtime:4000');
    const both = { ...inside, CEIBA_RUNTIME_PUBLIC_URL: 'https://ceiba.example.com/' };
    expect(parseSettings(both)).toMatchObject({
      runtimeUrl: 'http://runtime:4000',
      runtimePublicUrl: 'https://ceiba.example.com',
    });
  });

  it('take an OpenID issuer with its client', () => {
    const settings = parseSettings({
      ...required,
      OIDC_ISSUER: 'https://issuer.example',
      OIDC_CLIENT_ID: 'id',
      OIDC_CLIENT_SECRET: 'secret',
    });
    expect(settings.oidc).toMatchObject({ issuer: 'https://issuer.example', clientId: 'id' });
  });
});
