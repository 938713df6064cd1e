import { execFileSync } from 'node:child_process';

const ask = (pid, column) =>
  execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();

/** The resident memory of the process, in MiB. */
export const residentMiB = (pid) => Math.round(Number(ask(pid, 'rss')) / 1024);

/** The CPU time of the process in ms, with a resolution of one second. */
export function cpuMilliseconds(pid) {
  const [seconds = 0, minutes = 0, hours = 0] = ask(pid, 'cputime')
    .split(/[:-]/)
    .reverse()
    .map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
