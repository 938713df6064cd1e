/*
 * Asks once by each kind of call, in a process whose `node:http` an agent of OpenTelemetry watches.
 * Prints the headers of each call as JSON, as a server gets them.
 *
 *   node instrumented-client.mjs <folder of the built SDK>
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';

const tracerProvider = new BasicTracerProvider();
trace.setGlobalTracerProvider(tracerProvider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
const instrumentation = new HttpInstrumentation();
instrumentation.setTracerProvider(tracerProvider);
// An agent replaces a module when it is first required.
createRequire(import.meta.url)('node:http');

const [folder = ''] = process.argv.slice(2);
const { CeibaRuntimeClient, parseCeibaConfig } = await import(
  pathToFileURL(`${folder}/index.js`).href
);

const seen = [];
const server = createServer((incoming, outgoing) => {
  seen.push(incoming.headers);
  outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{"apiKeys":[]}');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = new CeibaRuntimeClient(
  parseCeibaConfig({
    runtimeBaseUrl: `http://127.0.0.1:${server.address().port}`,
    projectId: '0192f0c0-0000-7000-8000-000000000001',
    projectSecret: 'a-secret',
  }),
);
await client.authorize({ apiKey: null, method: 'GET', path: '/' }).catch(() => undefined);
await client.listApiKeys();
client.close();
server.close();
console.log(JSON.stringify(seen));
