import { CeibaRuntimeClient } from '@ceiba/sdk';
import { createApp } from './app.mjs';
import { config, port } from './env.mjs';

const client = new CeibaRuntimeClient(config);
const app = createApp({ client });

const server = app.listen(port, '127.0.0.1', (error) => {
  if (error) {
    console.error(`The example API cannot listen on port ${port}: ${error.code}`);
    process.exit(1);
  }
  console.log(`The example API listens on http://127.0.0.1:${server.address().port}`);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close(() => client.close());
    server.closeIdleConnections();
  });
}
