import { turbo } from '@ceiba/devstack/build';
import { step } from '@ceiba/devstack/output';
import { type Services, startServices } from '@ceiba/devstack/services';
import type { Settings } from '@ceiba/devstack/settings';
import type { Supervisor } from '@ceiba/devstack/supervisor';

export interface Preparation {
  build?: boolean;
  /** Workspaces that are not built. */
  without?: readonly string[];
}

/** The first step of a command: starts the databases and builds. */
export async function prepare(
  supervisor: Supervisor,
  settings: Pick<Settings, 'databaseUrl' | 'redisUrl'>,
  { build = true, without }: Preparation = {},
): Promise<Services> {
  const [services] = await Promise.all([
    startServices(supervisor, settings),
    build && step('Build', () => turbo(supervisor, 'build', 'The build failed.', without)),
  ]);
  return services;
}
