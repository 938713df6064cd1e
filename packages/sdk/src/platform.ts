import { AsyncResource } from 'node:async_hooks';

/** What differs between Node and edge runtimes; `build.mjs` puts `platform-edge.ts` in its place. */
export { createNodeTransport as createDefaultTransport } from './http/node-transport.ts';

/** Whether questions of different requests may share an exchange. */
export const CAN_SHARE_EXCHANGES = true;

/** @returns Runs work in the asynchronous context of this call, which has the active span. */
export function keepContext(): (work: () => void) => void {
  const resource = new AsyncResource('CeibaQuestion');
  return (work) => resource.runInAsyncScope(work);
}
