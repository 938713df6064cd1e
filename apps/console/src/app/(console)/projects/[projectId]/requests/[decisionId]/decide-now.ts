import 'server-only';
import type { Database, DecisionRecord } from '@ceiba/schema';
import type { Simulation } from '#components/simulation/simulation.ts';
import { type SimulatedProject, simulate } from '#server/simulate.ts';

/** Why a recorded call cannot be decided again. */
export type NotRepeatable = 'no_path' | 'unknown_key' | 'deleted';

/**
 * Decides a recorded call as it would be decided now, without charging it. A call with an unknown key
 * cannot be repeated, because the log has only the key's prefix.
 */
export async function decideNow(
  db: Database,
  project: SimulatedProject,
  { outcome, apiKeyId, method, path }: DecisionRecord,
): Promise<Simulation | NotRepeatable> {
  if (apiKeyId === null && outcome !== 'missing_api_key') return 'unknown_key';
  if (path === null) return 'no_path';
  const credential = apiKeyId === null ? { presented: null } : { apiKeyId };
  const simulation = await simulate(db, project, { credential, method, path });
  const isGone = simulation === null || (apiKeyId !== null && simulation.apiKey === null);
  return isGone ? 'deleted' : simulation;
}
