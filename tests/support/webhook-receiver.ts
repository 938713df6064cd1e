import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebhookReceiver {
  /** `http://127.0.0.1:…/hooks`. */
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedWebhook[];
  /** How it answers from now on: a status, never, without an end, or by closing the connection. */
  answer: number | 'never' | 'endless' | 'reset';
  /** The headers of its answers. */
  headers: Record<string, string>;
  close(): Promise<void>;
}

/** Listens for webhooks on loopback. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const receiver = {
    answer: 204 as WebhookReceiver['answer'],
    headers: {} as Record<string, string>,
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      received.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      const { answer } = receiver;
      if (answer === 'never') return;
      if (answer === 'reset') return void request.socket.destroy();
      response.writeHead(answer === 'endless' ? 200 : answer, receiver.headers);
      if (answer !== 'endless') return void response.end('a secret of the receiver');
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) {}
      };
      response.on('drain', more).on('error', () => {});
      more();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hooks`,
    port,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
