import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EXAMPLE_HOST_PORT } from '@ceiba/domain/constants';
import { describe, expect, it } from 'vitest';
import { renderGuides } from '../../../render-guides.mjs';
import { ENVIRONMENT_FILE, hostSnippets } from '../../lib/host-snippets.ts';
import { frameworksOf } from './frameworks.ts';
import type { GuideGroup } from './guide.ts';

const repository = fileURLToPath(new URL('../../../../..', import.meta.url));
const catalog = JSON.parse(readFileSync(new URL('./catalog.guides', import.meta.url), 'utf8'));
const groups: GuideGroup[] = renderGuides(catalog, repository);
const frameworks = frameworksOf(groups.flatMap((group) => group.guides));

describe('frameworksOf', () => {
  it('has every framework that the guides have, and the path that its host serves', () => {
    expect(frameworks.map(({ slug, path }) => `${slug} ${path}`)).toEqual([
      'express /v1/reports',
      'fastify /v1/reports',
      'hono /v1/reports',
      'next /v1/reports',
      'fetch /v1/reports',
      'node-http /v1/reports',
      'nest /v1/reports',
      'koa /v1/reports',
      'trpc /trpc/reports.list',
      'react-router /v1/reports',
    ]);
  });

  it.each(frameworks)(
    '$slug: has all files that they import, and starts on the port of the call',
    ({ files, commands }) => {
      const names = files.map(({ name }) => name.replace(/\.[a-z]+$/, ''));
      const imported = files.flatMap(({ code }) =>
        [...code.matchAll(/from '\.\/([^']+)\.[a-z]+'/g)].map(([, name]) => name),
      );
      expect(names).toEqual(expect.arrayContaining(imported));
      expect(commands.join('\n')).toContain(ENVIRONMENT_FILE);
      expect(commands.at(-1)).toContain(String(EXAMPLE_HOST_PORT));
      expect(files.map(({ code }) => code.includes('ceiba'))).not.toContain(false);
    },
  );

  it.each(frameworks)(
    '$slug: its client accepts a Runtime without TLS in a cluster',
    (framework) => {
      const codeFor = (runtimeUrl: string) => {
        const host = { runtimeUrl, projectId: 'p', consoleUrl: 'https://console.test' };
        return hostSnippets(framework, host).map(({ code }) => code);
      };
      const named =
        /^ *runtimeBaseUrl: .*,\n *allowPlainHttpHosts: \['ceiba-runtime\.default'\],$/m;
      expect(
        codeFor('http://ceiba-runtime.default:4000').filter((code) => named.test(code)),
      ).toHaveLength(1);
      for (const url of [
        'https://runtime.example.com',
        'http://localhost:4000',
        'http://127.0.0.1:4000',
      ]) {
        expect(codeFor(url).join()).not.toContain('allowPlainHttpHosts');
      }
    },
  );
});
