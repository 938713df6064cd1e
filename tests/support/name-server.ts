import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export interface NameServer {
  /** `127.0.0.1:…`. */
  readonly address: string;
  /** How many questions arrived. */
  readonly asked: () => number;
  close(): Promise<void>;
}

const HEADER_BYTES = 12;
const TYPE_A = 1;

/** Answers questions of DNS with one IPv4 address; without one, or never if it is null. */
export async function startNameServer(address: string | null): Promise<NameServer> {
  let asked = 0;
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    asked += 1;
    if (address === null) return;
    const end = message.indexOf(0, HEADER_BYTES) + 5;
    const question = message.subarray(HEADER_BYTES, end);
    const isKnown = address !== '' && question.readUInt16BE(question.length - 4) === TYPE_A;
    const header = Buffer.from(message.subarray(0, HEADER_BYTES));
    // A response with recursion; one question, and one answer or none.
    header.writeUInt16BE(0x8180, 2);
    [1, isKnown ? 1 : 0, 0, 0].forEach((count, n) => void header.writeUInt16BE(count, 4 + 2 * n));
    // The name of the question, A, IN, for 0 seconds, 4 bytes.
    const record = [0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4];
    const answer = Buffer.from([...record, ...address.split('.').map(Number)]);
    const parts = isKnown ? [header, question, answer] : [header, question];
    socket.send(Buffer.concat(parts), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    asked: () => asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
