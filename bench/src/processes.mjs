import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time in ticks of 10 ms. */
const MS_PER_TICK = 10;

/** @returns {boolean} Whether this system reports the CPU time of processes in `/proc`. */
export const reportsCpuTime = () => process.platform === 'linux';

/**
 * Reads the CPU time of processes with all of their descendants, ended ones included.
 *
 * @template {string} Name
 * @param {Record<Name, number>} roots process ids by name
 * @returns {Record<Name, number>} in ms, user and system; NaN where the system does not report it
 */
export function cpuMsOf(roots) {
  const all = reportsCpuTime() ? readProcesses() : [];
  const sumOf = (pid) => {
    const self = all.find((each) => each.pid === pid);
    if (self === undefined) return Number.NaN;
    const children = all.filter((each) => each.parent === pid);
    return children.reduce((sum, child) => sum + sumOf(child.pid), self.cpuMs);
  };
  return Object.fromEntries(Object.entries(roots).map(([name, pid]) => [name, sumOf(pid)]));
}

function readProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const fields = statOf(Number(name));
        // From the third field on: state, parent, …; user, system, and both of ended children.
        const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
        return [{ pid: Number(name), parent: Number(fields[1]), cpuMs: ticks * MS_PER_TICK }];
      } catch {
        return []; // it has ended
      }
    });
}

/** The second field is the program's name in parentheses and may itself hold spaces. */
function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** @param {number} pid @returns {number} The parent's id; NaN where the system does not report it. */
export const parentOf = (pid) => (reportsCpuTime() ? Number(statOf(pid)[1]) : Number.NaN);

/** @param {number} pid @returns {number} Resident memory in MiB; NaN where it is not reported. */
export function residentMiB(pid) {
  if (!reportsCpuTime()) return Number.NaN;
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** @returns {number} The CPU time of this process's ended children, in ms; NaN where it is not reported. */
export function endedChildrenCpuMs() {
  if (!reportsCpuTime()) return Number.NaN;
  const [user = 0, system = 0] = statOf(process.pid).slice(13, 15).map(Number);
  return (user + system) * MS_PER_TICK;
}
