/** The parts of the Runtime that only watch decisions, by the folders and packages of their code. */
const PARTS = {
  log: /decision-log\//,
  metrics: /^src\/metrics\/|\/node_modules\/prom-client\//,
  traces: /^src\/tracing\/|\/node_modules\/@opentelemetry\//,
};

/**
 * @typedef {Record<keyof typeof PARTS, number>} Shares from 0 to 1
 * @typedef {{ functionName: string, url: string, lineNumber: number }} CallFrame
 */

/**
 * The shares that the parts have in the CPU time of a Runtime. A sample belongs to the innermost
 * function on its stack that is in a folder of the Runtime; packages belong to their caller. What the
 * garbage collector takes is divided by what was allocated. The shares err on the high side: what the
 * kernel and other threads do for the process is not in the profile.
 *
 * A part does not include what is outside of its folders: the call into it, readings of the clock that
 * a metric needs, and the driver that waits for an answer of Postgres.
 *
 * @param {{ cpu: { nodes: any[] }, heap: { head: any } }} profile
 * @param {string} program The text of `dist/main.js`.
 * @returns {Shares}
 */
export function sharesOf({ cpu, heap }, program) {
  const ownerOf = ownersIn(program);
  const byId = new Map(cpu.nodes.map((node) => [node.id, node]));
  const childrenOf = ({ children = [] }) => children.map((id) => byId.get(id));
  const samples = sumByOwner(cpu.nodes[0], ownerOf, childrenOf, (node) => node.hitCount);
  const bytes = sumByOwner(
    heap.head,
    ownerOf,
    (node) => node.children,
    (node) => node.selfSize,
  );
  const { idle = 0, garbage = 0 } = samples;
  const total = sum(samples) - idle;
  const share = (part) =>
    ((samples[part] ?? 0) + (garbage * (bytes[part] ?? 0)) / sum(bytes)) / total;
  return Object.fromEntries(Object.keys(PARTS).map((part) => [part, share(part)]));
}

const sum = (numbers) => Object.values(numbers).reduce((all, each) => all + each, 0);

/** Adds up a tree of calls, each node to its owner or else to its caller's. */
function sumByOwner(root, ownerOf, childrenOf, weigh) {
  const sums = {};
  const waiting = [{ node: root, caller: 'rest' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node } = next;
    const owner = ownerOf(node.callFrame) ?? next.caller;
    sums[owner] = (sums[owner] ?? 0) + weigh(node);
    for (const child of childrenOf(node)) waiting.push({ node: child, caller: owner });
  }
  return sums;
}

/**
 * @param {string} program in which esbuild has put a comment with its file before each module
 * @returns {(frame: CallFrame) => string | undefined} A part, `rest`, or undefined for its caller's.
 */
function ownersIn(program) {
  const files = [];
  let file = '';
  for (const line of program.split('\n')) {
    file = /^\/\/ (\S+\.ts)$/.exec(line)?.[1] ?? file;
    files.push(file);
  }
  return ({ functionName, url, lineNumber }) => {
    if (functionName === '(idle)') return 'idle';
    if (functionName === '(garbage collector)') return 'garbage';
    const source = url.endsWith('/dist/main.js') ? (files[lineNumber] ?? '') : url;
    const part = Object.entries(PARTS).find(([, pattern]) => pattern.test(source))?.[0];
    return part ?? (source.startsWith('src/') ? 'rest' : undefined);
  };
}
