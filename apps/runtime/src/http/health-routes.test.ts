import { expect, it } from 'vitest';
import { logged } from './health-routes.ts';

it('logs each reason why a dependency is not ready once, and when it is ready again', async () => {
  const lines: string[] = [];
  const log = {
    warn: ({ err }: { err: Error }) => lines.push(err.message),
    info: (_: object, text: string) => lines.push(text),
  };
  let problem: string | null = null;
  const check = logged(
    'database',
    async () => {
      if (problem !== null) throw new Error(problem);
    },
    log as unknown as Parameters<typeof logged>[2],
  );
  for (problem of [
    null,
    'away',
    'away',
    'lacks migrations',
    'lacks migrations',
    null,
    null,
    'away',
  ]) {
    await check().catch(() => {});
  }
  expect(lines).toEqual(['away', 'lacks migrations', 'ready again', 'away']);
});
