/** A thread that sends one stream of requests, and posts its samples. */
import { parentPort, workerData } from 'node:worker_threads';
import { sendAtRate } from './open-loop.mjs';

const { requests, ...stream } = workerData;
let asked = 0;
const next = () => requests[asked++ % requests.length];
parentPort?.postMessage(await sendAtRate({ ...stream, next }));
