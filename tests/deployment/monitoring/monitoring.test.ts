/** The files of deploy/monitoring and their guide, beside the metrics of a real Runtime. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@ceiba/devstack/ports';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PATIENT, startWorld } from '../../integration/runtime/setup.ts';
import { scrape } from '../../support/metrics.ts';
import { startRuntime } from '../../support/runtime.ts';
import { until } from '../../support/until.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** Without it, tests that need it are reported as skipped. */
const promtool = spawnSync('promtool', ['--version']).status === 0;

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; action: string };
}
interface Target {
  expr: string;
  datasource: { uid: string };
}
interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: Target[];
}

/** Times as the guide writes them. */
const SECONDS: Record<string, number> = {
  'six minutes': 360,
  'seven minutes': 420,
  'twenty minutes': 1_200,
  'four hours and five minutes': 14_700,
};

const { groups } = parse(read('deploy/monitoring/alerts.yml')) as { groups: { rules: Rule[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(read('deploy/monitoring/grafana-dashboard.json')) as {
  schemaVersion: number;
  templating: { list: { query: string | { query: string } }[] };
  panels: Panel[];
};
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
const guide = read('docs/run/monitoring.md');

const port = await freePort();
const { databaseUrl, redisUrl } = await startWorld({ ...PATIENT, METRICS_PORT: String(port) });

/** Of one process, and of two workers: the names of series with their labels, and the text. */
let alone: string;
let ofWorkers: string;
let series: { name: string; labels: Record<string, string> }[];

beforeAll(async () => {
  alone = (await scrape(port)).text;
  const workersPort = await freePort();
  const runtime = await startRuntime({
    databaseUrl,
    redisUrl,
    settings: { ...PATIENT, RUNTIME_WORKERS: '2', METRICS_PORT: String(workersPort) },
  });
  try {
    await until('both workers answer', async () => {
      const { of, text } = await scrape(workersPort);
      ofWorkers = text;
      return of('ceiba_workers_answering') === 2;
    });
  } finally {
    await runtime.stop();
  }
  series = [...`${alone}\n${ofWorkers}`.matchAll(/^([a-z]\w+)(?:\{(.*)\})? /gm)].map(
    ([, name = '', labels = '']) => ({ name, labels: labelsIn(labels) }),
  );
});

const labelsIn = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );

/** What Prometheus itself adds to each series. */
const OF_PROMETHEUS = ['job', 'instance'];

/** The metrics, labels and label values of an expression that no Runtime has. */
function missingIn(expression: string): string[] {
  const missing: string[] = [];
  const names: string[] = expression.match(/\b(?:ceiba|nodejs|process)_\w+/g) ?? [];
  const isKnown = (name: string) => series.some((one) => one.name === name);
  missing.push(...names.filter((name) => !isKnown(name)));
  for (const [, name = '', matchers = ''] of expression.matchAll(/(\w+)\{([^}]*)\}/g)) {
    for (const [label, value] of Object.entries(labelsIn(matchers.replaceAll(/!=|=~/g, '=')))) {
      if (OF_PROMETHEUS.includes(label)) continue;
      const has = series.some((one) => one.name === name && one.labels[label] === value);
      if (!has) missing.push(`${name}{${label}="${value}"}`);
    }
  }
  const inUse = series.filter(({ name }) => names.includes(name));
  const labels = new Set([...OF_PROMETHEUS, ...inUse.flatMap((one) => Object.keys(one.labels))]);
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  return [...missing, ...grouped.filter((label) => !labels.has(label))];
}

describe('the search for what a Runtime lacks', () => {
  it('finds a metric, a label value and a label that do not exist', () => {
    expect(missingIn('rate(ceiba_decisions_total[5m])')).toEqual([]);
    expect(missingIn('rate(ceiba_decision_total[5m])')).toEqual(['ceiba_decision_total']);
    const value = 'ceiba_decisions_total{job="$job",outcome="denied"}';
    expect(missingIn(value)).toEqual(['ceiba_decisions_total{outcome="denied"}']);
    expect(missingIn('sum by (project) (ceiba_decisions_total)')).toEqual(['project']);
  });
});

describe('each alert', () => {
  it.each(alerts.map((rule) => [rule.alert, rule] as const))(
    'asks for metrics that exist, and says what to do: %s',
    (_, { expr, labels, annotations }) => {
      expect(missingIn(expr)).toEqual([]);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
      expect(annotations.action).toMatch(/^[A-Z].*\.$/);
    },
  );

  it('is explained in the guide, with what to do', () => {
    const rows = [...guide.matchAll(/^\| `(Ceiba\w+)` \| (\w+) \| .+ \| (.+) \|$/gm)];
    expect(rows.map(([, alert, severity, action]) => ({ alert, severity, action }))).toEqual(
      alerts.map(({ alert, labels: { severity }, annotations: { action } }) => {
        return { alert, severity, action };
      }),
    );
  });

  it('of a late task fires when the guide says, which includes the time that its rule waits', () => {
    const late = alerts.filter(({ expr }) => expr.startsWith('ceiba_task_lag_seconds'));
    expect(late.length).toBeGreaterThan(0);
    for (const { alert, expr, for: waits = '' } of late) {
      const [, limit = ''] = / > ([\d *]+)$/.exec(expr) ?? [];
      const seconds = limit.split('*').reduce((product, factor) => product * Number(factor), 1);
      const [, said = ''] = new RegExp(`\`${alert}\` .+ for ([a-z ]+) \\|`).exec(guide) ?? [];
      expect([alert, SECONDS[said]]).toEqual([alert, seconds + 60 * Number.parseInt(waits, 10)]);
    }
  });

  it('has a unit test in which it fires', () => {
    const { tests } = parse(read('tests/deployment/monitoring/alerts.test.yml')) as {
      tests: { name: string; promql_expr_test: { exp_samples: { labels: string }[] }[] }[];
    };
    const fired = tests.flatMap((one) =>
      one.promql_expr_test.flatMap(({ exp_samples }) =>
        exp_samples.map(({ labels }) => labelsIn(labels).alertname),
      ),
    );
    expect([...new Set(fired)].sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });
});

describe('the dashboard', () => {
  it('asks only for metrics, labels and label values that exist', () => {
    const queries = dashboard.templating.list.map(({ query }) =>
      typeof query === 'string' ? query : query.query,
    );
    const expressions = [...targets.map(({ expr }) => expr), ...queries];
    expect(expressions.filter((expression) => missingIn(expression).length > 0)).toEqual([]);
    expect(targets.length).toBeGreaterThan(20);
  });
});

describe('the guide', () => {
  it('lists every metric of Ceiba, as a Runtime describes it', () => {
    const text = `${alone}\n${ofWorkers}`;
    const described = [...text.matchAll(/^# HELP (ceiba_\w+) (.+)\n# TYPE \S+ (\w+)$/gm)];
    const rows = described.map(([, name = '', help, type]) => {
      const own = series.filter((one) => one.name.replace(/_(bucket|sum|count)$/, '') === name);
      const labels = new Set(own.flatMap((one) => Object.keys(one.labels)));
      labels.delete('le');
      const list = [...labels].map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${list} | ${help} |`;
    });
    const listed = guide.match(/^\| `ceiba_.+$/gm) ?? [];
    expect(listed.sort()).toEqual([...new Set(rows)].sort());
  });

  it('names only metrics of the process that exist', () => {
    const described = [...alone.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const named = guide.match(/\b(?:nodejs|process)_[a-z0-9_]+/g);
    expect(described).toEqual(expect.arrayContaining(named ?? ['a metric']));
  });
});

describe.skipIf(!promtool)('promtool', () => {
  const run = (args: string[], input = '') => {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      cwd: root,
      input,
      encoding: 'utf8',
    });
    return { status, output: `${stdout}${stderr}` };
  };

  it('finds nothing wrong with the metrics of one process, nor of workers', () => {
    for (const text of [alone, ofWorkers]) {
      expect(run(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
    }
  });

  it('accepts the configuration and the rules', () => {
    const { status, output } = run(['check', 'config', 'deploy/monitoring/prometheus.yml']);
    expect(output).toContain(`${alerts.length} rules found`);
    expect(status).toBe(0);
  });

  it('finds that each alert fires when it should, and none on a Runtime that works', () => {
    const { status, output } = run([
      'test',
      'rules',
      'tests/deployment/monitoring/alerts.test.yml',
    ]);
    expect(output).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
