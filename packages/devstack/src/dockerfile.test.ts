import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { buildImage } from './dockerfile.mjs';

let context: string;
let folder: string;

beforeEach(() => {
  context = mkdtempSync(join(tmpdir(), 'ceiba-context-'));
  folder = mkdtempSync(join(tmpdir(), 'ceiba-image-'));
});

afterEach(() => {
  for (const each of [context, folder]) rmSync(each, { recursive: true });
});

function build(lines: string[], buildArgs: Record<string, string> = {}) {
  writeFileSync(join(context, 'Dockerfile'), `${lines.join('\n')}\n`);
  return buildImage({ file: join(context, 'Dockerfile'), context, folder, buildArgs });
}

function write(path: string, text: string) {
  mkdirSync(join(context, path, '..'), { recursive: true });
  writeFileSync(join(context, path), text);
}

describe('a Dockerfile without Docker', () => {
  it('runs each stage from what it copies, and nothing else', () => {
    write('src/a.txt', 'a');
    const image = build([
      'FROM node:24-slim AS build',
      'WORKDIR /app',
      'COPY src src',
      'RUN cp src/a.txt b.txt && \\',
      '  echo more >> b.txt',
      'FROM node:24-slim',
      'WORKDIR /app',
      'COPY --from=build /app/b.txt out/',
      'USER node',
      'CMD ["node", "x"]',
    ]);
    expect(readFileSync(join(image.root, 'app/out/b.txt'), 'utf8')).toBe('amore\n');
    expect(existsSync(join(image.root, 'app/src'))).toBe(false);
    expect(image).toMatchObject({ user: 'node', command: ['node', 'x'], workdir: '/app' });
  });

  it('leaves out of the context what .dockerignore names, at the top or at any depth', () => {
    write('.dockerignore', '# comment\n**/node_modules\n.env\n*.log\n!keep.log\n');
    for (const path of ['a/node_modules/x', '.env', 'b.log', 'keep.log', 'deep/.env', 'c']) {
      write(path, '');
    }
    const { root } = build(['FROM node:24-slim', 'WORKDIR /app', 'COPY . .']);
    const has = (path: string) => existsSync(join(root, 'app', path));
    expect(['a/node_modules', '.env', 'b.log'].filter(has)).toEqual([]);
    expect(['keep.log', 'deep/.env', 'c'].every(has)).toBe(true);
  });

  it('hands build arguments and the environment to its steps, and no variable of this process', () => {
    process.env.CEIBA_CANARY = 'leaked';
    const { root } = build(
      [
        'FROM node:24-slim',
        'ARG SHA=unknown',
        'ENV COMMIT=$SHA',
        'RUN echo "$COMMIT-$CEIBA_CANARY" > out',
      ],
      { SHA: 'abc' },
    );
    delete process.env.CEIBA_CANARY;
    expect(readFileSync(join(root, 'out'), 'utf8')).toBe('abc-\n');
  });

  it.each([
    ['an unknown base', ['FROM alpine']],
    ['an absolute path in a step', ['FROM node:24-slim', 'RUN touch /etc/x']],
    ['an instruction that it cannot run', ['FROM node:24-slim', 'ADD a b']],
    ['a file that is not there', ['FROM node:24-slim', 'COPY missing .']],
    ['a stage that is not there', ['FROM node:24-slim', 'COPY --from=other /a .']],
    ['a step that fails', ['FROM node:24-slim', 'RUN false']],
  ])('refuses %s', (_, lines) => {
    expect(() => build(lines)).toThrow();
  });
});
