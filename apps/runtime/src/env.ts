import { availableParallelism } from 'node:os';
import { parseRedisUrl } from '@ceiba/process/redis';
import {
  databaseUrl,
  flag,
  httpUrl,
  keepAliveTimeout,
  listenHost,
  oneOf,
  parseSettings,
  redisUrl,
  wholeNumber,
} from '@ceiba/process/settings';
import { z } from 'zod';

const port = wholeNumber(0, 65_535);
const milliseconds = wholeNumber(1, 60_000);
const count = wholeNumber(1, 1_000_000);
const portOrOff = z.union([z.literal('off'), port], 'must be off or a port from 0 to 65535');
const share = z
  .string()
  .regex(/^(0|1|0?\.\d{1,9}|[01]\.0{1,9})$/, 'must be a number from 0 to 1, such as 0.01');
const workers = z
  .string()
  .transform((text) => (text === 'auto' ? String(Math.min(64, availableParallelism())) : text))
  .pipe(z.string().regex(/^([1-9]|[1-5]\d|6[0-4])$/, 'must be auto or a whole number from 1 to 64'))
  .transform(Number);

/** Every setting by itself; `.env.example` says what each one does. */
export const settingFields = z.object({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  REDIS_CLUSTER: flag.default(false),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  RUNTIME_HOST: listenHost.default('127.0.0.1'),
  RUNTIME_PORT: port.default(4000),
  RUNTIME_WORKERS: workers.default(1),
  KEEP_ALIVE_TIMEOUT: keepAliveTimeout,
  EXT_AUTHZ_HOST: listenHost.default('127.0.0.1'),
  EXT_AUTHZ_PORT: port.optional(),
  METRICS_HOST: listenHost.default('127.0.0.1'),
  METRICS_PORT: portOrOff.default(9464),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  DATABASE_LEASE_MS: wholeNumber(0, 60_000).optional(),
  DECISION_DEADLINE_MS: milliseconds.default(500),
  DECISION_DATABASE_BUDGET_MS: milliseconds.default(300),
  DECISION_REDIS_BUDGET_MS: milliseconds.default(200),
  MAX_DECISIONS_IN_FLIGHT: count.default(4_096),
  KEY_ROUTE_DEADLINE_MS: milliseconds.default(2_000),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 5_000).default(0),
  // The standard variables of OpenTelemetry, of which its SDK reads the others itself.
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.string().optional(),
  OTEL_LOGS_EXPORTER: z.string().optional(),
  OTEL_TRACES_EXPORTER: oneOf('otlp', 'none').optional(),
  OTEL_TRACES_SAMPLER: oneOf(
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ).optional(),
  OTEL_TRACES_SAMPLER_ARG: share.optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
});

const environmentSchema = settingFields
  .superRefine(({ REDIS_URL, REDIS_CLUSTER }, { addIssue }) => {
    const redis = parseRedisUrl(REDIS_URL, REDIS_CLUSTER);
    if (redis.kind === 'invalid') {
      addIssue({ code: 'custom', path: ['REDIS_URL'], message: redis.reason });
    }
  })
  .transform((settings) => ({
    ...settings,
    exportsDecisions: exportsDecisions(settings),
    exportsTraces: exportsTraces(settings),
  }))
  .superRefine((settings, { addIssue }) => {
    const path = settings.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL
      ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
      : 'OTEL_EXPORTER_OTLP_PROTOCOL';
    if (settings.exportsTraces && (settings[path] ?? ONLY_PROTOCOL) !== ONLY_PROTOCOL) {
      addIssue({ code: 'custom', path: [path], message: `must be ${ONLY_PROTOCOL} for traces` });
    }
  });

const ONLY_PROTOCOL = 'http/protobuf';

interface ExportSettings {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  OTEL_LOGS_EXPORTER?: string | undefined;
  OTEL_TRACES_EXPORTER?: string | undefined;
  OTEL_SDK_DISABLED?: string | undefined;
}

const isDisabled = ({ OTEL_SDK_DISABLED }: ExportSettings) =>
  OTEL_SDK_DISABLED?.toLowerCase() === 'true';

const exportsDecisions = (settings: ExportSettings): boolean =>
  (settings.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT) !==
    undefined &&
  settings.OTEL_LOGS_EXPORTER !== 'none' &&
  !isDisabled(settings);

/** Without an address, `otlp` means that of a collector on this machine. */
const exportsTraces = (settings: ExportSettings): boolean => {
  const endpoint =
    settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = settings.OTEL_TRACES_EXPORTER ?? (endpoint === undefined ? 'none' : 'otlp');
  return exporter === 'otlp' && !isDisabled(settings);
};

/** The Runtime's settings, times in ms; `.env.example` explains each. */
export type Settings = z.output<typeof environmentSchema>;

/** @throws SettingsError that names every setting which is missing or wrong */
export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Settings =>
  parseSettings(environmentSchema, environment);
