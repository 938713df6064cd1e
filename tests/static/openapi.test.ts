import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@ceiba/contract/openapi';
import { expect, it } from 'vitest';

const file = fileURLToPath(new URL('../../packages/contract/openapi.json', import.meta.url));
const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;

it('the committed OpenAPI document is that of the schemas; --update writes it', async () => {
  await expect(text).toMatchFileSnapshot(file);
});

it('every reference of the document leads to a schema of it', () => {
  const document = JSON.parse(readFileSync(file, 'utf8'));
  const references = [...text.matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g)];
  expect(references.length).toBeGreaterThan(20);
  const missing = references.filter(([, name = '']) => !(name in document.components.schemas));
  expect(missing).toEqual([]);
});
