/** What Prometheus would read from a Runtime. */
export interface Scrape {
  readonly text: string;
  /** The value of a series, written as in the text: `ceiba_decisions_total{outcome="allowed"}`. */
  of(series: string): number | undefined;
  /** All series of a metric with one label, by its value. */
  by(metric: string): Record<string, number>;
}

/** @throws Error where the answer is not 200 */
export async function scrape(port: number, path = '/metrics'): Promise<Scrape> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`);
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`the metrics were answered with ${reply.status}`);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const values = new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
  return {
    text,
    of: (series) => values.get(series),
    by(metric) {
      const start = `${metric}{`;
      const found = [...values].filter(([series]) => series.startsWith(start));
      return Object.fromEntries(
        found.map(([series, value]) => [/="([^"]*)"\}$/.exec(series)?.[1] ?? series, value]),
      );
    },
  };
}

/** How much each series of a metric has risen. */
export function risen(before: Scrape, after: Scrape, metric: string): Record<string, number> {
  const earlier = before.by(metric);
  const changes = Object.entries(after.by(metric)).map(
    ([value, count]) => [value, count - (earlier[value] ?? 0)] as const,
  );
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}
