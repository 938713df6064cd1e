import { fileURLToPath } from 'node:url';
import { OPERATIONS } from '@ceiba/manage';
import { manageDocument } from '@ceiba/manage/openapi';
import { expect, it } from 'vitest';

const file = fileURLToPath(new URL('../../packages/manage/openapi.json', import.meta.url));
const document = manageDocument();
const text = `${JSON.stringify(document, null, 2)}\n`;

it('the committed OpenAPI document of the management API is that of the table; --update writes it', async () => {
  await expect(text).toMatchFileSnapshot(file);
});

it('every reference of the document leads to a schema or an answer of it', () => {
  const references = [...text.matchAll(/"\$ref": "#\/components\/(schemas|responses)\/(\w+)"/g)];
  expect(references.length).toBeGreaterThan(100);
  const missing = references.filter(
    ([, kind = '', name = '']) =>
      !(name in document.components[kind as keyof typeof document.components]),
  );
  expect(missing).toEqual([]);
});

it('every operation has a name and an address of its own, and each field of its path in its input', () => {
  const names = OPERATIONS.map(({ name }) => name);
  const addresses = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(names).size).toBe(OPERATIONS.length);
  expect(new Set(addresses).size).toBe(OPERATIONS.length);
  for (const { path, input } of OPERATIONS) {
    for (const [, field = ''] of path.matchAll(/\{(\w+)\}/g)) {
      expect(Object.keys(input.shape), path).toContain(field);
    }
  }
});

it('every parameter says what it does', () => {
  const silent = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap((operation) => {
      const { parameters } = operation as { parameters: { name: string; description?: string }[] };
      return parameters
        .filter(({ description }) => !description)
        .map(({ name }) => `${path} ${name}`);
    }),
  );
  expect(silent).toEqual([]);
});
