import { expect, it, vi } from 'vitest';
import { isUp, measureStatus } from './status.ts';

const world = vi.hoisted(() => ({ isReady: true }));

vi.mock('server-only', () => ({}));
vi.mock('../env.ts', () => ({
  BUILD_SHA: null,
  env: () => ({ runtimeUrl: 'http://127.0.0.1:1' }),
}));
vi.mock('./database.ts', () => ({
  // A database that answers and cannot be used, such as a read-only one.
  isDatabaseReady: async () => true,
  isReady: async () => world.isReady,
}));

it.each([true, false])('the console is up exactly where it is ready: %s', async (isReady) => {
  world.isReady = isReady;
  const [service] = await measureStatus();
  expect(service && isUp(service)).toBe(isReady);
});
