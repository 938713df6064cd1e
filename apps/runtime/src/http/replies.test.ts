import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Logger } from '@ceiba/process/log';
import { expect, it, vi } from 'vitest';
import { ErrorLog } from '../error-log.ts';
import { jsonReply, send } from './replies.ts';

it('an answer arrives whole, whatever characters it has', async () => {
  const body = { displayName: 'Grüße 💥' };
  const server = createServer((_, outgoing) => send(outgoing, jsonReply(200, body, 'id')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } });
    expect(await reply.json()).toEqual(body);
  } finally {
    server.close();
  }
});

it('answers leave in the order of their requests, also of those that wait on one connection', async () => {
  const late: (() => void)[] = [];
  const server = createServer(({ url }, outgoing) => {
    const answer = () => send(outgoing, jsonReply(200, { url }, 'id'));
    if (url !== '/first') answer();
    if (url === '/third') for (const each of late) each();
    else if (url === '/first') late.push(answer);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    const head = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`;
    socket.write(head('/first') + head('/second') + head('/third', 'connection: close\r\n'));
    let text = '';
    for await (const part of socket) text += part;
    expect(text.match(/\{.*?\}/g)).toEqual(
      ['/first', '/second', '/third'].map((url) => JSON.stringify({ url })),
    );
  } finally {
    socket.destroy();
    server.close();
  }
});

it('a refused secret is one line for many, with the request and no secret', () => {
  const lines: unknown[][] = [];
  const log = { info: (...line: unknown[]) => void lines.push(line) } as unknown as Logger;
  const errors = new ErrorLog(log);
  const caller = { peer: '10.0.0.7', userAgent: 'host/1 \u001b[2Jceiba_secret_0123456789' };
  for (const requestId of ['a', 'b', 'c']) {
    errors.reportRefusal('unknown_project', { requestId, ...caller }, undefined);
    errors.reportRefusal('wrong_secret', { requestId, ...caller }, 'a project');
  }
  const shown = { requestId: 'a', peer: '10.0.0.7', userAgent: 'host/1 ?[2Jceiba_[redacted]' };
  const words = 'refused a project secret';
  expect(lines).toEqual([
    [{ ...shown, problem: 'unknown_project', suppressed: 0 }, words],
    [{ ...shown, projectId: 'a project', problem: 'wrong_secret', suppressed: 0 }, words],
  ]);
});

it('each project whose secret is refused has a line a second, up to a hundred of them', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const lines: { projectId?: string }[] = [];
    const log = { info: (line: object) => void lines.push(line) } as unknown as Logger;
    const errors = new ErrorLog(log);
    const caller = { requestId: 'a', peer: '10.0.0.7', userAgent: undefined };
    const refuse = (count: number) => {
      lines.length = 0;
      for (let n = 0; n < 2 * count; n += 1) {
        errors.reportRefusal('wrong_secret', caller, `project ${n % count}`);
      }
      return lines.map(({ projectId }) => projectId);
    };
    expect(refuse(2)).toEqual(['project 0', 'project 1']);
    vi.advanceTimersByTime(1_000);
    // One more line is that of all further ones.
    expect(refuse(1_000)).toHaveLength(101);
    vi.advanceTimersByTime(1_000);
    expect(refuse(1_000)).toHaveLength(101);
  } finally {
    vi.useRealTimers();
  }
});

it('an ID that is no UUID is logged, and is no wrong secret', () => {
  const lines: unknown[] = [];
  const log = { info: (_: object, words: string) => void lines.push(words) } as unknown as Logger;
  const mistakes = { refusedSecret: vi.fn(), unclearRequest: vi.fn() };
  const errors = new ErrorLog(log, mistakes);
  const caller = { requestId: 'a', peer: '10.0.0.7', userAgent: undefined };
  errors.reportRefusal('invalid_project_id', caller, undefined);
  expect(mistakes.refusedSecret).not.toHaveBeenCalled();
  errors.reportRefusal('missing_secret', caller, undefined);
  expect(mistakes.refusedSecret).toHaveBeenCalledOnce();
  expect(lines).toEqual(['refused a project ID', 'refused a project secret']);
});
