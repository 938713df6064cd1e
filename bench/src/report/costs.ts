import type { ContenderResult, CpuMicroseconds, Results } from './results.ts';

/** The processes that a decision runs in; the load generator is not part of it. */
export const PROCESSES = ['server', 'redis', 'postgres'] as const;

export type Process = (typeof PROCESSES)[number];

/** What a contender itself causes: an echo asks no database, which then serves only background work. */
export const ownCpu = (kind: ContenderResult['kind'], cpu: CpuMicroseconds): CpuMicroseconds =>
  kind === 'echo' && cpu.server !== undefined ? { server: cpu.server } : cpu;

/** CPU time of a whole decision in µs; null where the system did not report it. */
export function wholeCost(cpu: CpuMicroseconds): number | null {
  if (cpu.server === undefined) return null;
  return PROCESSES.reduce((sum, process) => sum + (cpu[process]?.median ?? 0), 0);
}

/** @throws Error where there is none of that name */
export function contenderOf({ contenders }: Results, id: string): ContenderResult {
  const found = contenders.find((contender) => contender.id === id);
  if (found === undefined) throw new Error(`the results have no ${id}`);
  return found;
}

/** The unit of cost: the CPU time of the bare echo per request, in µs; null where it is not known. */
export const echoCost = (results: Results) =>
  contenderOf(results, 'hono-echo').cpuMicroseconds.server?.median ?? null;
