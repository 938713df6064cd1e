import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@ceiba/contract/openapi';
import { postmanCollection } from '@ceiba/contract/postman';
import { expect, it } from 'vitest';
import { createApp } from '../../apps/runtime/src/http/app.ts';

const file = fileURLToPath(new URL('../../packages/contract/openapi.json', import.meta.url));
/** It has any method, and never goes through Hono; the golden file has it. */
const FORWARD_AUTH = '/rt/projects/{projectId}/forward-auth';

const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;

it('the committed OpenAPI document is that of the schemas; --update writes it', async () => {
  await expect(text).toMatchFileSnapshot(file);
});

it('the SDK has the types and parsers of the document; its generate.mjs writes them', () => {
  const generate = fileURLToPath(new URL('../../packages/sdk/generate.mjs', import.meta.url));
  expect(() => execFileSync(process.execPath, [generate, '--check'])).not.toThrow();
});

it('an answer may have further fields, and a request may not', () => {
  const isClosed = (answers: 'open' | 'closed', name: string) =>
    Object.keys(openApiDocument(answers).components.schemas[name]!).includes(
      'additionalProperties',
    );
  for (const name of ['AllowDecision', 'ApiKeySummary', 'TransportError']) {
    expect([isClosed('open', name), isClosed('closed', name)], name).toEqual([false, true]);
  }
  expect(isClosed('open', 'CreateApiKeyRequest')).toBe(true);
});

it('every reference of the document leads to a schema of it', () => {
  const document = JSON.parse(readFileSync(file, 'utf8'));
  const references = [...text.matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g)];
  expect(references.length).toBeGreaterThan(20);
  const missing = references.filter(([, name = '']) => !(name in document.components.schemas));
  expect(missing).toEqual([]);
});

/** Every object type within a schema, apart from the schema itself. */
function* nestedObjects(schema: unknown, isRoot = true): Generator<object> {
  if (typeof schema !== 'object' || schema === null) return;
  if (!isRoot && 'properties' in schema && 'type' in schema) yield schema;
  for (const value of Object.values(schema)) yield* nestedObjects(value, false);
}

it('every object of the document has a name, so that generated types have one', () => {
  const { schemas } = openApiDocument().components;
  const anonymous = Object.entries(schemas).filter(
    ([, schema]) => !nestedObjects(schema).next().done,
  );
  expect(anonymous.map(([name]) => name)).toEqual([]);
});

it('the document has every route that the Runtime serves, and no other', () => {
  const unused = {} as never;
  const { routes } = createApp({
    authorizeRoutes: unused,
    projects: unused,
    checks: unused,
    isDraining: () => false,
    errors: unused,
  });
  const served = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  const documented = Object.entries(openApiDocument().paths)
    .filter(([path]) => path !== FORWARD_AUTH)
    .flatMap(([path, { parameters: _, ...operations }]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
  expect(documented.sort()).toEqual(served.sort());
});

it('the collection for Postman has each operation of the document once, in a folder, with variables for keys', () => {
  interface Item {
    readonly name: string;
    readonly item?: readonly Item[];
    readonly request?: { readonly method: string; readonly url: { readonly path: string[] } };
  }
  const collection = postmanCollection(openApiDocument()) as Item;
  const folders = collection.item ?? [];
  const requests = folders.flatMap(({ item = [] }) => item);
  const collected = requests.map(({ request }) => {
    const path = request?.url.path.join('/').replaceAll(/\{\{(\w+)\}\}/g, '{$1}');
    return `${request?.method} /${path}`;
  });
  const documented = Object.entries(openApiDocument().paths).flatMap(
    ([path, { parameters: _, ...operations }]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(collected.sort()).toEqual(documented.sort());
  expect(folders.map(({ name }) => name)).toEqual(openApiDocument().tags.map(({ name }) => name));
  const sent = JSON.stringify(requests.map(({ request }) => request));
  expect(sent).toContain('{{plaintextKey}}');
  expect(sent).not.toContain('"ceiba_');
});
