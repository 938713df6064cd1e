import { CeibaRuntimeClient } from '@ceiba/sdk';
import { createApp } from './app.mjs';
import { config, port } from './env.mjs';

const client = new CeibaRuntimeClient(config);
const app = createApp({ client });
app.addHook('onClose', async () => client.close());
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());

const url = await app.listen({ port, host: '127.0.0.1' });
console.log(`The example API listens on ${url}`);
