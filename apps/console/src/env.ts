import { z } from 'zod';

/**
 * The only reader of `process.env`. Settings are parsed when the server starts or when one is
 * first used, never by `next build`, which imports routes on machines that have no settings.
 */

const httpUrl = z.url({ protocol: /^https?$/ });
const filled = z.string().trim().min(1);
const provider = { id: filled.optional(), secret: filled.optional() };

const settingsSchema = z
  .object({
    /** A list of hosts is no URL in the sense of `URL`. */
    DATABASE_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\/./, 'must be like postgres://user@host:5432/ceiba'),
    CONSOLE_PORT: z.coerce.number().int().min(1).max(65_535).default(3000),
    CEIBA_RUNTIME_URL: httpUrl.default('http://127.0.0.1:4000'),
    NEXTAUTH_SECRET: z.string().min(32, 'must be at least 32 characters of random text'),
    NEXTAUTH_URL: httpUrl.optional(),
    /** Who may create an account: anyone, only the first user, or no one. */
    SIGN_UP: z.enum(['open', 'first-user', 'closed']).default('first-user'),
    /** How many proxies in front append to X-Forwarded-For; 0 trusts the connection alone. */
    TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(16).default(0),
    GITHUB_CLIENT_ID: provider.id,
    GITHUB_CLIENT_SECRET: provider.secret,
    GOOGLE_CLIENT_ID: provider.id,
    GOOGLE_CLIENT_SECRET: provider.secret,
    /** Any OpenID Connect issuer, found by its discovery document. */
    OIDC_ISSUER: httpUrl.optional(),
    OIDC_CLIENT_ID: provider.id,
    OIDC_CLIENT_SECRET: provider.secret,
    OIDC_NAME: filled.default('single sign-on'),
  })
  .superRefine((settings, context) => {
    const together = [
      ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
      ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
      ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
    ] as const;
    for (const names of together) {
      const missing = names.filter((name) => settings[name] === undefined);
      if (missing.length === 0 || missing.length === names.length) continue;
      for (const name of missing) {
        context.addIssue({ code: 'custom', path: [name], message: 'is missing beside its pair' });
      }
    }
  })
  .transform((settings) => ({
    databaseUrl: settings.DATABASE_URL,
    runtimeUrl: settings.CEIBA_RUNTIME_URL.replace(/\/+$/, ''),
    /** The address at which people open the console; the only origin that may act. */
    publicOrigin: new URL(settings.NEXTAUTH_URL ?? `http://localhost:${settings.CONSOLE_PORT}`)
      .origin,
    sessionSecret: settings.NEXTAUTH_SECRET,
    signUp: settings.SIGN_UP,
    trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
    github: pair(settings.GITHUB_CLIENT_ID, settings.GITHUB_CLIENT_SECRET),
    google: pair(settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET),
    oidc: oidc(settings),
  }));

export type Settings = z.output<typeof settingsSchema>;

let settings: Settings | undefined;

/** The settings of this process. Throws an error that names each setting that is wrong. */
export function env(): Settings {
  if (settings === undefined) {
    settings = parseSettings(process.env);
    // next-auth reads it from here and would otherwise believe the Host header.
    process.env.NEXTAUTH_URL = settings.publicOrigin;
  }
  return settings;
}

/** Parses settings from any source; an empty variable counts as absent. */
export function parseSettings(source: Record<string, string | undefined>): Settings {
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const result = settingsSchema.safeParse(present);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The console's settings are not usable. ${problems.join('; ')}`);
}

/** The commit of this build; the build replaces the expression by its value. */
export const BUILD_SHA = process.env.CEIBA_BUILD_SHA ?? 'unknown';

/** Whether this is a development server, where React needs `eval`. */
export const IS_DEVELOPMENT = process.env.NODE_ENV === 'development';

function pair(clientId: string | undefined, clientSecret: string | undefined) {
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return { clientId, clientSecret };
}

function oidc(source: {
  OIDC_ISSUER?: string | undefined;
  OIDC_CLIENT_ID?: string | undefined;
  OIDC_CLIENT_SECRET?: string | undefined;
  OIDC_NAME: string;
}) {
  const client = pair(source.OIDC_CLIENT_ID, source.OIDC_CLIENT_SECRET);
  if (client === undefined || source.OIDC_ISSUER === undefined) return undefined;
  return { ...client, issuer: source.OIDC_ISSUER, name: source.OIDC_NAME };
}
