import { expect, it } from 'vitest';
import { sharesOf } from './parts.mjs';

const PROGRAM = `// src/server.ts
function server() {}
// src/decision-log/decision-log.ts
function add() {}
// ../../packages/domain/src/path.ts
function canonicalPath() {}
// src/tracing/decision-trace.ts
function watched() {}
`;
const frame = (functionName: string, url = '', lineNumber = -1) => ({
  functionName,
  url,
  lineNumber,
});
const inProgram = (functionName: string) =>
  frame(
    functionName,
    'file:///ceiba/apps/runtime/dist/main.js',
    PROGRAM.split('\n').findIndex((line) => line.includes(`${functionName}()`)),
  );
const PROM_CLIENT = 'file:///ceiba/node_modules/prom-client/lib/histogram.js';

/** A tree of calls as both profilers have it, once each. */
interface Call {
  callFrame: ReturnType<typeof frame>;
  self: number;
  children?: Call[];
}

function profileOf(cpu: Call, heap: Call) {
  const nodes: object[] = [];
  const flatten = ({ callFrame, self, children = [] }: Call): number => {
    const node = { id: nodes.length + 1, callFrame, hitCount: self, children: [] as number[] };
    nodes.push(node);
    node.children = children.map(flatten);
    return node.id;
  };
  flatten(cpu);
  const heapOf = ({ callFrame, self, children = [] }: Call): object => ({
    callFrame,
    selfSize: self,
    children: children.map(heapOf),
  });
  return { cpu: { nodes }, heap: { head: heapOf(heap) } };
}

const root = (...children: Call[]): Call => ({ callFrame: frame('(root)'), self: 0, children });
const NO_GARBAGE = root({ callFrame: inProgram('server'), self: 1 });

it('a sample belongs to the innermost folder of the Runtime, and packages to their caller', () => {
  const cpu = root(
    { callFrame: frame('(idle)'), self: 900 },
    {
      callFrame: inProgram('server'),
      self: 10,
      children: [
        {
          callFrame: inProgram('add'),
          self: 20,
          children: [
            { callFrame: inProgram('canonicalPath'), self: 5 },
            { callFrame: frame('now', 'node:internal/perf'), self: 5 },
          ],
        },
        { callFrame: inProgram('canonicalPath'), self: 20 },
        { callFrame: frame('observe', PROM_CLIENT), self: 10 },
        {
          callFrame: inProgram('watched'),
          self: 10,
          children: [{ callFrame: inProgram('server'), self: 20 }],
        },
      ],
    },
  );
  const shares = sharesOf(profileOf(cpu, NO_GARBAGE), PROGRAM);
  expect(shares).toEqual({ log: 0.3, metrics: 0.1, traces: 0.1 });
});

it('the garbage collector is divided by what was allocated', () => {
  const cpu = root(
    { callFrame: frame('(garbage collector)'), self: 40 },
    { callFrame: inProgram('server'), self: 60 },
  );
  const heap = root(
    { callFrame: inProgram('server'), self: 3_000 },
    { callFrame: inProgram('add'), self: 1_000 },
  );
  expect(sharesOf(profileOf(cpu, heap), PROGRAM)).toEqual({ log: 0.1, metrics: 0, traces: 0 });
});
