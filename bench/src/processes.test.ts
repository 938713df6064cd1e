import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { cpuMsOf, endedChildrenCpuMs, reportsCpuTime, residentMiB } from './processes.mjs';

/** 100 ms of work, by the process's own clock. */
const WORK = `const until = process.cpuUsage().user + 100_000;
  while (process.cpuUsage().user < until);`;

it('the CPU time of a process includes its ended children', () => {
  const before = { own: cpuMsOf({ own: process.pid }).own, ended: endedChildrenCpuMs() };
  execFileSync(process.execPath, ['-e', WORK]);
  const own = cpuMsOf({ own: process.pid }).own - before.own;
  const ended = endedChildrenCpuMs() - before.ended;
  if (!reportsCpuTime()) return expect([own, ended]).toEqual([Number.NaN, Number.NaN]);
  for (const used of [own, ended]) expect(used).toBeGreaterThanOrEqual(100);
});

it('the CPU time of a process that does not exist is not a number', () => {
  expect(cpuMsOf({ none: 2 ** 30 }).none).toBeNaN();
});

it('the memory of a process is in MiB', () => {
  if (!reportsCpuTime()) return expect(residentMiB(process.pid)).toBeNaN();
  const actual = process.memoryUsage.rss() / 2 ** 20;
  expect(residentMiB(process.pid) / actual).toBeGreaterThan(0.5);
  expect(residentMiB(process.pid) / actual).toBeLessThan(2);
});
