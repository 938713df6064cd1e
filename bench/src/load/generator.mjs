import { execFile } from 'node:child_process';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { isOnPath } from '../on-path.mjs';
import { parseWrkResult } from './wrk-result.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('./wrk.lua', import.meta.url));
const KEY_WIDTH = 55;
const PROJECT_ID_WIDTH = 36;

/**
 * Where questions go, and what they ask.
 *
 * @typedef {object} Target
 * @property {string} url The server's origin.
 * @property {string} path `{projectId}` is replaced by the start of the line.
 * @property {Record<string, string>} headers
 * @property {string} lines A file of lines of one width, without line breaks.
 * @property {number} width 55 for API keys, 91 for project ids and API keys.
 * @property {number} perRequest More than one question per request make a batch.
 * @property {string} marker What an answer contains, once per question.
 *
 * @typedef {{ connections: number, seconds: number }} Load With random lines.
 * @typedef {import('./wrk-result.ts').LoadResult} LoadResult
 * @typedef {{ name: string, putLoad(target: Target, load: Load): Promise<LoadResult> }} Generator
 */

/** @returns {Generator} wrk where it is on PATH, otherwise autocannon */
export function createGenerator() {
  return isOnPath('wrk')
    ? { name: 'wrk', putLoad: putLoadByWrk }
    : { name: 'autocannon', putLoad: putLoadByAutocannon };
}

/** One thread is enough for what one server answers, and leaves the cores to the servers. */
async function putLoadByWrk(target, load) {
  const { stdout } = await run('wrk', [
    '--threads=1',
    `--connections=${load.connections}`,
    `--duration=${load.seconds}`,
    '--timeout=10',
    `--script=${SCRIPT}`,
    ...Object.entries({ 'content-type': 'application/json', ...target.headers }).map(
      ([name, value]) => `--header=${name}: ${value}`,
    ),
    target.url,
    '--',
    target.lines,
    String(target.width),
    String(target.perRequest),
    target.marker,
    target.path,
  ]);
  return parseWrkResult(stdout);
}

async function putLoadByAutocannon(target, load) {
  const lines = readerOf(target);
  let unexpected = 0;
  const next = () => lines.at(Math.floor(Math.random() * lines.count));
  const result = await autocannon({
    url: target.url,
    connections: load.connections,
    duration: load.seconds,
    requests: [
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...target.headers },
        setupRequest: (request) => {
          const chosen = Array.from({ length: target.perRequest }, next);
          const path = target.path.replace('{projectId}', chosen[0].slice(0, PROJECT_ID_WIDTH));
          return {
            ...request,
            path,
            body: bodyOf(chosen.map((line) => line.slice(-KEY_WIDTH))),
          };
        },
        onResponse: (status, body) => {
          const found = body.split(target.marker).length - 1;
          if (status !== 200 || found < target.perRequest) unexpected += 1;
        },
      },
    ],
  });
  lines.close();
  return {
    requests: result.requests.total,
    seconds: result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    unexpected: unexpected + result.errors + result.timeouts,
  };
}

/** @param {string[]} apiKeys @returns {string} One question, or more as a batch. */
function bodyOf(apiKeys) {
  const questions = apiKeys.map((apiKey) => ({ apiKey, method: 'GET', path: '/v1/reports/42' }));
  return JSON.stringify(questions.length === 1 ? questions[0] : { requests: questions });
}

/** Reads single lines, so that a file of a million needs no memory. */
function readerOf({ lines, width }) {
  const file = openSync(lines, 'r');
  const buffer = Buffer.alloc(width);
  return {
    count: statSync(lines).size / width,
    at: (index) => {
      readSync(file, buffer, 0, width, index * width);
      return buffer.toString('latin1');
    },
    close: () => closeSync(file),
  };
}
