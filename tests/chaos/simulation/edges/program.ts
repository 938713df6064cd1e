export { readSettings } from '../../../../apps/runtime/src/env.ts';
export { createRuntime } from '../../../../apps/runtime/src/server.ts';
export { enter } from './machine.ts';
