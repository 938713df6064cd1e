import { Cluster } from 'ioredis';
import { afterAll, expect, it } from 'vitest';
import { dataServersOf } from './client.ts';

const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });
afterAll(() => cluster.disconnect());

const owned = (...owners: string[]) =>
  Array.from({ length: 16_384 }, (_, slot) => [owners[slot % owners.length] ?? '']);

it('each server of a cluster has a hash tag of its own, until its slots have moved away', () => {
  cluster.slots = owned('a:1', 'b:1', 'c:1');
  const servers = dataServersOf(cluster);
  expect(servers.map(({ address }) => address)).toEqual(['a:1', 'b:1', 'c:1']);
  expect(new Set(servers.map((server) => server.hashTag())).size).toBe(3);
  cluster.slots = owned('a:1', 'b:1');
  expect(servers.map(({ address, hashTag }) => [address, tagOr(hashTag)])).toEqual([
    ['a:1', expect.any(String)],
    ['b:1', expect.any(String)],
    ['c:1', 'no slot'],
  ]);
});

function tagOr(hashTag: () => string): string {
  try {
    return hashTag();
  } catch (error) {
    return error instanceof Error ? error.message : 'another error';
  }
}
