import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { chart, findHelm, HELM_VERSIONS, type Manifest, renderChart } from '../../support/helm.ts';
import { problemsOf } from './kubernetes-types.ts';

// The first test that needs a package fetches it.
vi.setConfig({ testTimeout: 180_000 });

const run = promisify(execFile);
const NEWEST = HELM_VERSIONS.at(-1)!;
const NO_HELM = 'Helm cannot be fetched: no npm registry, or not Linux on x64';
const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Sets of values; `everything` turns everything on. */
const SETS = readdirSync(join(chart, 'ci')).map((file) => file.replace('-values.yaml', ''));
const fileOf = (set: string) => join(chart, 'ci', `${set}-values.yaml`);

async function helmOrSkip({ skip }: TestContext, version = NEWEST): Promise<string> {
  return (await findHelm(version)) ?? skip(NO_HELM);
}

const render = async (context: TestContext, set: string) =>
  renderChart(await helmOrSkip(context), '-f', fileOf(set));

const find = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find((each) => each.kind === kind && each.metadata.name === name)!;

/** The pods of Deployments and Jobs. */
const podsOf = (manifests: readonly Manifest[]) =>
  manifests.flatMap(({ kind, metadata, spec }) =>
    spec.template === undefined ? [] : [{ kind, name: metadata.name, ...spec.template }],
  );

const environmentOf = (manifests: readonly Manifest[], name: string) =>
  podsOf(manifests).find((pod) => pod.name === name)!.spec.containers[0].env;

describe.each(SETS)('the chart with the values "%s"', (set) => {
  it('is valid by the schemas of Kubernetes, and has no field that they lack', async (context) => {
    const problems = await problemsOf(await render(context, set));
    if (problems === null) return context.skip('The schemas cannot be fetched: no npm registry');
    expect(problems).toEqual([]);
  });

  it('renders to the same objects with every supported Helm', async (context) => {
    const rendered = [];
    for (const version of HELM_VERSIONS) {
      const helm = await helmOrSkip(context, version);
      rendered.push(await renderChart(helm, '-f', fileOf(set)));
    }
    expect(rendered[0]).toEqual(rendered[1]);
  });

  it('gives no container a writable file, a capability or another privilege', async (context) => {
    const pods = podsOf(await render(context, set));
    expect(pods.length).toBeGreaterThan(1);
    for (const { spec } of pods) {
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.enableServiceLinks).toBe(false);
      for (const container of spec.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.requests).toHaveProperty('cpu');
        expect(container.resources.limits).toHaveProperty('memory');
      }
    }
  });

  it('passes every secret by reference', async (context) => {
    const manifests = await render(context, set);
    expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
    const variables = podsOf(manifests).flatMap(({ spec }) => spec.containers[0].env);
    const secret = /(?:DATABASE_URL|REDIS_URL|SMTP_URL|_SECRET|_PASSWORD)$/;
    const secrets = variables.filter(({ name }) => secret.test(name));
    expect(secrets.length).toBeGreaterThan(3);
    for (const { value, valueFrom } of secrets) {
      expect(value).toBeUndefined();
      expect(valueFrom.secretKeyRef).toEqual({ name: expect.any(String), key: expect.any(String) });
    }
  });

  it('asks whether a program lives and whether it is ready, at the port it listens on', async (context) => {
    const manifests = await render(context, set);
    const probes = ['runtime', 'console'].map((name) => {
      const [container] = find(manifests, 'Deployment', `ceiba-${name}`).spec.template.spec
        .containers;
      const [port] = find(manifests, 'Service', `ceiba-${name}`).spec.ports;
      expect(container.ports[0]).toEqual({ name: port.targetPort, containerPort: port.port });
      return [container.livenessProbe.httpGet, container.readinessProbe.httpGet];
    });
    expect(probes).toEqual([
      [
        { path: '/health', port: 'http' },
        { path: '/ready', port: 'http' },
      ],
      [
        { path: '/api/version', port: 'http' },
        { path: '/api/ready', port: 'http' },
      ],
    ]);
  });

  it('every Service and budget selects the pods of its Deployment alone', async (context) => {
    const manifests = await render(context, set);
    const pods = podsOf(manifests);
    const selects = (selector: Record<string, string>) =>
      pods
        .filter(({ metadata }) =>
          Object.entries(selector).every(([label, value]) => metadata.labels[label] === value),
        )
        .map(({ name }) => name);
    for (const { kind, metadata, spec } of manifests) {
      const selector = kind === 'Service' ? spec.selector : spec.selector?.matchLabels;
      if (selector) expect([kind, ...selects(selector)]).toEqual([kind, metadata.name]);
    }
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ metadata }) => metadata.name)).toEqual([
      'ceiba-console',
      'ceiba-runtime',
    ]);
  });
});

describe('the chart', () => {
  it('migrates before the pods of an installation or upgrade, with the image of the Runtime', async (context) => {
    const manifests = await render(context, 'minimal');
    const { metadata, spec } = find(manifests, 'Job', 'ceiba-migration');
    expect(metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const [container] = spec.template.spec.containers;
    const runtime = find(manifests, 'Deployment', 'ceiba-runtime').spec.template.spec;
    expect(container.image).toBe(runtime.containers[0].image);
    expect(container.command).toEqual(['node', 'apps/cli/bin/ceiba.mjs', 'migrate']);
    expect(readFileSync(join(root, 'Dockerfile.runtime'), 'utf8')).toContain('apps/cli/bin');
    const environment = environmentOf(await render(context, 'everything'), 'ceiba-migration');
    expect(environment).toEqual([
      { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/ceiba/ca.crt' },
      expect.objectContaining({ name: 'DATABASE_URL' }),
    ]);
    const without = await render(context, 'bare');
    expect(without.map(({ kind }) => kind)).not.toContain('Job');
  });

  it('adds no Ingress, NetworkPolicy, PodMonitor or autoscaler unless asked to', async (context) => {
    const kinds = (manifests: Manifest[]) => new Set(manifests.map(({ kind }) => kind));
    const always = ['Deployment', 'Job', 'PodDisruptionBudget', 'Service'];
    const asked = ['HorizontalPodAutoscaler', 'Ingress', 'NetworkPolicy', 'PodMonitor'];
    expect([...kinds(await render(context, 'minimal'))].sort()).toEqual(always);
    const all = kinds(await render(context, 'everything'));
    expect([...all].sort()).toEqual([...always, ...asked].sort());
  });

  it('opens the metrics only when asked to, and lets Prometheus find their port', async (context) => {
    const open = { name: 'METRICS_HOST', value: '::' };
    // The image listens on every address.
    expect(environmentOf(await render(context, 'minimal'), 'ceiba-runtime')).toContainEqual({
      name: 'METRICS_PORT',
      value: 'off',
    });
    const manifests = await render(context, 'everything');
    expect(environmentOf(manifests, 'ceiba-runtime')).toContainEqual(open);
    const [container] = find(manifests, 'Deployment', 'ceiba-runtime').spec.template.spec
      .containers;
    const { jobLabel, podMetricsEndpoints } = find(manifests, 'PodMonitor', 'ceiba-runtime').spec;
    const [endpoint] = podMetricsEndpoints;
    expect(container.ports).toContainEqual({ name: endpoint.port, containerPort: 9464 });
    // The alerts look for this job.
    const pod = find(manifests, 'Deployment', 'ceiba-runtime').spec.template.metadata;
    expect(pod.labels[jobLabel]).toBe('ceiba');
    const settings = readFileSync(join(root, 'apps/runtime/src/env.ts'), 'utf8');
    expect(settings).toContain('METRICS_PORT: portOrOff.default(9464)');
  });

  it('listens on every address, also in a cluster without IPv4', async (context) => {
    const manifests = await render(context, 'everything');
    const hosts = ['ceiba-runtime', 'ceiba-console'].flatMap((name) =>
      environmentOf(manifests, name).filter(({ name: variable }: { name: string }) =>
        /HOST(NAME)?$/.test(variable),
      ),
    );
    expect(
      hosts.map(({ name, value }: { name: string; value: string }) => `${name}=${value}`),
    ).toEqual(['EXT_AUTHZ_HOST=::', 'METRICS_HOST=::', 'RUNTIME_HOST=::', 'HOSTNAME=::']);
  });

  it('a setting replaces the one that the chart sets', async (context) => {
    const delay = (value: string) => ({ name: 'SHUTDOWN_DELAY_MS', value });
    const settings = async (set: string) =>
      environmentOf(await render(context, set), 'ceiba-runtime').filter(
        ({ name }: { name: string }) => name === 'SHUTDOWN_DELAY_MS',
      );
    expect(await settings('minimal')).toEqual([delay('3000')]);
    expect(await settings('everything')).toEqual([delay('0')]);
  });

  it('restricts who reaches the pods, and lets the console reach the Runtime', async (context) => {
    const manifests = await render(context, 'everything');
    const [rule, metrics] = find(manifests, 'NetworkPolicy', 'ceiba-runtime').spec.ingress;
    expect(metrics.ports).toEqual([{ port: 'metrics' }]);
    expect(rule.ports).toEqual([{ port: 'http' }, { port: 'grpc' }]);
    const labels = find(manifests, 'Deployment', 'ceiba-console').spec.selector.matchLabels;
    expect(rule.from).toEqual([
      { namespaceSelector: { matchLabels: { team: 'apis' } } },
      { podSelector: { matchLabels: labels } },
    ]);
    expect(find(manifests, 'NetworkPolicy', 'ceiba-migration').spec.ingress).toEqual([]);
  });

  it('passes names and numbers on as they are, whatever YAML would make of them', async (context) => {
    const helm = await helmOrSkip(context);
    const folder = mkdtempSync(join(tmpdir(), 'ceiba-chart-'));
    context.onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'odd.yaml');
    writeFileSync(
      file,
      `runAsUser: 1000660000
serviceAccountName: '1e3'
image: { pullSecrets: ['0123'] }
secrets: { DATABASE_URL: { name: '123', key: 'true' } }
runtime: { ingress: { enabled: true, className: 'on', host: '*.example.com', tlsSecretName: '456' } }
`,
    );
    const values = ['-f', fileOf('minimal'), '-f', file];
    const manifests = await renderChart(helm, ...values);
    const { spec } = find(manifests, 'Deployment', 'ceiba-runtime').spec.template;
    expect(spec).toMatchObject({
      serviceAccountName: '1e3',
      imagePullSecrets: [{ name: '0123' }],
      securityContext: { runAsUser: 1_000_660_000, runAsGroup: 1_000_660_000 },
    });
    expect(environmentOf(manifests, 'ceiba-migration')).toEqual([
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: '123', key: 'true' } } },
    ]);
    expect(find(manifests, 'Ingress', 'ceiba-runtime').spec).toMatchObject({
      ingressClassName: 'on',
      tls: [{ secretName: '456', hosts: ['*.example.com'] }],
      rules: [{ host: '*.example.com' }],
    });
    const { stdout } = await run(helm, ['template', chart, '--kube-version', '1.27.0', ...values]);
    expect(stdout).not.toContain('e+09');
  });

  it('shortens its names to the 63 characters that Kubernetes takes', async (context) => {
    const helm = await helmOrSkip(context);
    const manifests = await renderChart(
      helm,
      ...['-f', fileOf('everything'), '--name-template', 'r'.repeat(52)],
    );
    const names = manifests.map(({ metadata }) => metadata.name);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(63);
    expect(new Set(names).size).toBe(3);
  });

  it.for([
    ['an unknown value', 'runtime.replica=3', 'replica'],
    ['an unknown value at the top', 'replicas=3', 'replicas'],
    ['a misspelled setting', 'runtime.env.LOG_LEVLE=debug', 'LOG_LEVLE'],
    ['a setting of the other program', 'console.env.LOG_LEVEL=debug', 'LOG_LEVEL'],
    ['a secret in clear', 'runtime.env.DATABASE_URL=postgres://u:p@h/d', 'DATABASE_URL'],
    ['a secret of the console in clear', 'console.env.OIDC_CLIENT_SECRET=s', 'OIDC_CLIENT_SECRET'],
    ['headers of a collector in clear', 'runtime.env.OTEL_EXPORTER_OTLP_HEADERS=a', 'HEADERS'],
    ['a setting that is no string', 'runtime.env.RUNTIME_WORKERS=2', 'RUNTIME_WORKERS'],
    ['a variable that is set twice', 'console.env.SMTP_URL=smtp://h', 'SMTP_URL'],
    ['a console without an address', 'console.url=', 'url'],
    ['an address with a path', 'console.url=https://h/console', 'url'],
    ['a Runtime with an Ingress without a host', 'runtime.ingress.host=', 'host'],
    [
      'a label by which the chart selects',
      'runtime.podLabels.app\\.kubernetes\\.io/name=x',
      'name',
    ],
    [
      'more of the fewest pods than of the most',
      'runtime.autoscaling.minReplicas=13',
      'minReplicas',
    ],
  ] as const)('refuses %s, and names it', async ([, setting, name], context) => {
    const helm = await helmOrSkip(context);
    const values = ['-f', fileOf('everything'), '--set', setting];
    const failed = await renderChart(helm, ...values).catch(String);
    expect(failed).toMatch(/schema|set twice|more than maxReplicas/);
    expect(failed).toContain(name);
  });
});

describe('docs/run/kubernetes.md', () => {
  const page = readFileSync(join(root, 'docs/run/kubernetes.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text = '']) => ({
    language,
    text,
  }));

  it('shows values that the chart takes, alone and together', async (context) => {
    const helm = await helmOrSkip(context);
    const folder = mkdtempSync(join(tmpdir(), 'ceiba-chart-'));
    context.onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = blocks
      .filter(({ language }) => language === 'yaml')
      .map(({ text }, index) => {
        const file = join(folder, `${index}.yaml`);
        writeFileSync(file, text);
        return file;
      });
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) await renderChart(helm, '-f', fileOf('minimal'), '-f', file);
    await renderChart(helm, ...files.flatMap((file) => ['-f', file]));
  });

  it('shows commands that Helm takes', async (context) => {
    const helm = await helmOrSkip(context);
    const commands = blocks
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => /^helm upgrade .*\bcharts\/ceiba\b/.test(line));
    expect(commands.length).toBe(2);
    for (const command of commands) {
      const options = command.replace(/^helm upgrade (?:--install )?ceiba charts\/ceiba/, '');
      const args = options.trim().replace('values.yaml', fileOf('minimal')).split(' ');
      expect(await renderChart(helm, ...args)).not.toEqual([]);
    }
  });
});
