/**
 * Profiles the process that loads it with `--import`, between `/start` and `/stop` on the port of its
 * own address: where its CPU time went, and where it allocated what the garbage collector removes.
 */
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';

const SAMPLE_EVERY_MICROSECONDS = 500;
const SAMPLE_EVERY_BYTES = 256 * 1024;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_MICROSECONDS });

const COMMANDS = {
  async '/start'() {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: SAMPLE_EVERY_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    await session.post('Profiler.start');
  },
  async '/stop'() {
    const { profile: cpu } = await session.post('Profiler.stop');
    const { profile: heap } = await session.post('HeapProfiler.stopSampling');
    return { cpu: { nodes: cpu.nodes }, heap: { head: heap.head } };
  },
};

const server = createServer(async (incoming, outgoing) => {
  const answer = await COMMANDS[incoming.url ?? '']();
  outgoing.setHeader('connection', 'close');
  outgoing.end(JSON.stringify(answer ?? null));
});
server.listen(Number(new URL(import.meta.url).searchParams.get('port')), '127.0.0.1').unref();
