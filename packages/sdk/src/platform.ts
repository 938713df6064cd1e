/** What differs between Node and edge runtimes; `build.mjs` puts `platform-edge.ts` in its place. */
export { createNodeTransport as createDefaultTransport } from './http/node-transport.ts';

/** Whether questions of different requests may share an exchange. */
export const CAN_SHARE_EXCHANGES = true;
