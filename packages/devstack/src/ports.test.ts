import { createServer } from 'node:net';
import { expect, it } from 'vitest';

import { freePort, requireFreePorts } from './ports.ts';

it('gives a free port to one caller only, and none that an outgoing connection may take', async () => {
  const ports = [];
  for (let call = 0; call < 600; call += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

it('suggests a port that exists instead of the highest one', async () => {
  const server = createServer();
  // An error means that another program listens there, which serves as well.
  await new Promise<unknown>((resolve) => {
    server.on('error', resolve).listen({ port: 65_535, host: '127.0.0.1' }, () => resolve(null));
  });
  try {
    const wanted = [{ name: 'console', variable: 'CONSOLE_PORT', port: 65_535 }];
    await expect(requireFreePorts(wanted)).rejects.toMatchObject({
      hint: expect.stringContaining('CONSOLE_PORT=65525 '),
    });
  } finally {
    server.close();
  }
});

it('refuses the port of a program on ::1, which a browser would reach as localhost', async () => {
  const port = await freePort();
  const server = createServer();
  const error = await new Promise<unknown>((resolve) => {
    server.on('error', resolve).listen({ port, host: '::1' }, () => resolve(null));
  });
  const wanted = requireFreePorts([{ name: 'console', variable: 'CONSOLE_PORT', port }]);
  try {
    if (error === null) await expect(wanted).rejects.toThrow('already in use');
    // A machine without IPv6 has no such program.
    else await expect(wanted).resolves.not.toThrow();
  } finally {
    server.close();
  }
});

it('refuses a free port that no client can reach', async () => {
  const wanted = [{ name: 'Runtime', variable: 'RUNTIME_PORT', port: 4190 }];
  await expect(requireFreePorts(wanted)).rejects.toMatchObject({
    message: expect.stringContaining('refuse port 4190'),
    hint: expect.stringContaining('RUNTIME_PORT=4200 '),
  });
});
