import { type Network, parseNetworks } from '@ceiba/alerts/networks';
import { parseSigningSecret } from '@ceiba/alerts/sign';
import {
  databaseUrl,
  filled,
  httpUrl,
  keepAliveTimeout,
  mailSender,
  oneOf,
  parseSettings as parse,
  smtpUrl,
  wholeNumber,
} from '@ceiba/process/settings';
import { z } from 'zod';

/**
 * The only reader of `process.env`. Settings are parsed when the server starts or when one is
 * first used, never by `next build`, which imports routes on machines that have no settings.
 */

const provider = { id: filled.optional(), secret: filled.optional() };

const NO_TEMPLATE = 'must be an address such as https://logs.example.com/search?q={decisionId}';

/** Every setting by itself; `.env.example` says what each one does. */
export const settingFields = z.object({
  DATABASE_URL: databaseUrl,
  CONSOLE_PORT: wholeNumber(1, 65_535).default(3000),
  CEIBA_RUNTIME_URL: httpUrl.default('http://127.0.0.1:4000'),
  CEIBA_RUNTIME_PUBLIC_URL: httpUrl.optional(),
  DECISION_LOG_URL_TEMPLATE: z
    .string()
    .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), NO_TEMPLATE)
    .refine((text) => text.includes('{decisionId}'), NO_TEMPLATE)
    .optional(),
  NEXTAUTH_SECRET: z.string().min(32, 'must be at least 32 characters of random text'),
  NEXTAUTH_URL: httpUrl
    .refine(isWithoutPath, 'must have no path: the console is served at the root of its address')
    .optional(),
  /** `server.js` reads these two; see build.mjs. */
  HOSTNAME: filled.optional(),
  KEEP_ALIVE_TIMEOUT: keepAliveTimeout,
  SIGN_UP: oneOf('open', 'first-user', 'closed').default('first-user'),
  TRUSTED_PROXY_HOPS: wholeNumber(0, 16).default(0),
  ALERTS: oneOf('on', 'off').default('on'),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailSender.optional(),
  AUDIT_WEBHOOK_URL: httpUrl.optional(),
  AUDIT_WEBHOOK_SECRET: z.string().optional().transform(signingSecrets),
  AUDIT_OTLP_ENDPOINT: httpUrl.optional(),
  WEBHOOK_ALLOWED_NETWORKS: z.string().optional().transform(networks),
  GITHUB_CLIENT_ID: provider.id,
  GITHUB_CLIENT_SECRET: provider.secret,
  GOOGLE_CLIENT_ID: provider.id,
  GOOGLE_CLIENT_SECRET: provider.secret,
  OIDC_ISSUER: httpUrl.optional(),
  OIDC_CLIENT_ID: provider.id,
  OIDC_CLIENT_SECRET: provider.secret,
  OIDC_NAME: filled.default('single sign-on'),
});

const settingsSchema = settingFields
  .superRefine((settings, context) => {
    const together = [
      ['SMTP_URL', 'MAIL_FROM'],
      ['AUDIT_WEBHOOK_URL', 'AUDIT_WEBHOOK_SECRET'],
      ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
      ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
      ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
    ] as const;
    for (const names of together) {
      const missing = names.filter((name) => settings[name] === undefined);
      if (missing.length === 0 || missing.length === names.length) continue;
      for (const name of missing) {
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `is required together with ${names.filter((other) => other !== name).join(', ')}`,
        });
      }
    }
  })
  .transform((settings) => ({
    databaseUrl: settings.DATABASE_URL,
    /** The address at which the console itself asks the Runtime. */
    runtimeUrl: withoutSlash(settings.CEIBA_RUNTIME_URL),
    /** The address that pages and snippets print for hosts. */
    runtimePublicUrl: withoutSlash(settings.CEIBA_RUNTIME_PUBLIC_URL ?? settings.CEIBA_RUNTIME_URL),
    /** The address at which users open the console; the only origin whose actions are accepted. */
    publicOrigin: new URL(settings.NEXTAUTH_URL ?? `http://localhost:${settings.CONSOLE_PORT}`)
      .origin,
    decisionLogUrlTemplate: settings.DECISION_LOG_URL_TEMPLATE,
    sessionSecret: settings.NEXTAUTH_SECRET,
    signUp: settings.SIGN_UP,
    trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
    mail: whole({ url: settings.SMTP_URL, from: settings.MAIL_FROM }),
    sendsAlerts: settings.ALERTS === 'on',
    auditWebhook: whole({
      url: settings.AUDIT_WEBHOOK_URL,
      signingSecrets: settings.AUDIT_WEBHOOK_SECRET,
    }),
    auditOtlpUrl: settings.AUDIT_OTLP_ENDPOINT,
    webhookNetworks: settings.WEBHOOK_ALLOWED_NETWORKS,
    github: whole({
      clientId: settings.GITHUB_CLIENT_ID,
      clientSecret: settings.GITHUB_CLIENT_SECRET,
    }),
    google: whole({
      clientId: settings.GOOGLE_CLIENT_ID,
      clientSecret: settings.GOOGLE_CLIENT_SECRET,
    }),
    oidc: whole({
      clientId: settings.OIDC_CLIENT_ID,
      clientSecret: settings.OIDC_CLIENT_SECRET,
      issuer: settings.OIDC_ISSUER,
      name: settings.OIDC_NAME,
    }),
  }));

export type Settings = z.output<typeof settingsSchema>;

let settings: Settings | undefined;

/** @throws SettingsError that names each setting that is missing or wrong */
export function env(): Settings {
  if (settings === undefined) {
    settings = parseSettings(process.env);
    // next-auth reads it from here; otherwise it would trust the Host header.
    process.env.NEXTAUTH_URL = settings.publicOrigin;
  }
  return settings;
}

export const parseSettings = (source: Record<string, string | undefined>): Settings =>
  parse(settingsSchema, source);

/** The commit of this build; the build replaces the expression by its value. */
export const BUILD_SHA = process.env.CEIBA_BUILD_SHA ?? 'unknown';

/** Where the source of this build is; the build replaces the expression by its value. */
export const SOURCE_URL = process.env.CEIBA_SOURCE_URL || undefined;

/** Whether this is a development server, where React needs `eval`. */
export const IS_DEVELOPMENT = process.env.NODE_ENV === 'development';

function isWithoutPath(url: string): boolean {
  if (!URL.canParse(url)) return true; // another check reports it
  const { pathname, search, hash } = new URL(url);
  return `${pathname}${search}${hash}` === '/';
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '');

/** Settings that are given together; undefined unless all are. */
const whole = <Parts extends object>(parts: Parts) =>
  Object.values(parts).includes(undefined) ? undefined : (parts as Whole<Parts>);

type Whole<Parts> = { [Name in keyof Parts]: Exclude<Parts[Name], undefined> };

/** One secret, or two with a space between while receivers change to the first. */
function signingSecrets(
  text: string | undefined,
  context: z.RefinementCtx,
): readonly Buffer[] | undefined {
  const parsed = text?.trim().split(/\s+/).map(parseSigningSecret);
  if (parsed === undefined) return undefined;
  const secrets = parsed.filter((secret) => secret !== null);
  if (secrets.length === parsed.length && secrets.length <= 2) return secrets;
  context.addIssue({
    code: 'custom',
    message:
      'must be whsec_ and at least 24 random bytes in base64; two with a space between during a change',
  });
  return z.NEVER;
}

function networks(text: string | undefined, context: z.RefinementCtx): Network[] {
  const parsed = text === undefined ? [] : parseNetworks(text);
  if (parsed !== null) return parsed;
  context.addIssue({
    code: 'custom',
    message: 'must list networks in CIDR notation, such as 10.1.0.0/16,fd00::/8',
  });
  return z.NEVER;
}
