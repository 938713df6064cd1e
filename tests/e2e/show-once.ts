import type { BrowserContext, Page } from '@playwright/test';
import { Redis } from 'ioredis';
import type postgres from 'postgres';

/** Places and the text in them. */
export type Places = [place: string, text: string][];

/** The places that contain a text, as it is or encoded. */
export function placesOf(text: string, places: Places): string[] {
  const bytes = Buffer.from(text);
  // The base64 of a text depends on its offset; there are three variants of its middle.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  const forms = [text, bytes.toString('hex'), ...base64];
  return places
    .filter(([, content]) => forms.some((form) => content.includes(form)))
    .map(([place]) => place);
}

/** Files of the build existed before any credential. */
const isNoFileOfTheBuild = ({ pathname }: URL) => !pathname.startsWith('/_next/static/');

/**
 * Records the headers and the body of every answer before the browser gets it, because a browser
 * discards the answers of earlier pages.
 */
export async function recordAnswers(context: BrowserContext): Promise<Places> {
  const answers: Places = [];
  await context.route(isNoFileOfTheBuild, async (route) => {
    const request = route.request();
    // A keep-alive connection may close when it is reused. Requests that write are sent only once.
    const maxRetries = request.method() === 'GET' ? 2 : 0;
    const answer = await route
      .fetch({ maxRedirects: 0, maxRetries })
      .then(async (response) => ({ response, body: await response.text() }))
      .catch((error: unknown) => {
        if (!request.frame().page().isClosed()) throw error;
      });
    if (answer === undefined) return route.abort().catch(() => {});
    const { response, body } = answer;
    const place = `${request.method()} ${request.url()}`;
    answers.push([place, `${place} ${JSON.stringify(response.headers())} ${body}`]);
    // The page may be closed already.
    await route.fulfill({ response }).catch(() => {});
  });
  return answers;
}

/** Everything that the browser stores for the site of a page. */
export async function storedBy(page: Page): Promise<Places> {
  const [local, session, databases, caches, history] = await page.evaluate(async () => {
    const read = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const rows: unknown[] = [];
    for (const { name } of await indexedDB.databases()) {
      const database = await read(indexedDB.open(name ?? ''));
      for (const store of database.objectStoreNames) {
        const objects = database.transaction(store).objectStore(store);
        rows.push(name, store, await read(objects.getAllKeys()), await read(objects.getAll()));
      }
      database.close();
    }
    const cached: string[] = [];
    for (const name of await window.caches.keys()) {
      const cache = await window.caches.open(name);
      for (const request of await cache.keys()) {
        cached.push(request.url, (await (await cache.match(request))?.text()) ?? '');
      }
    }
    // Item by item: a spread omits items with the name of a method.
    const itemsOf = (storage: Storage) =>
      Array.from({ length: storage.length }, (_, index) => {
        const name = storage.key(index) ?? '';
        return [name, storage.getItem(name)];
      });
    return [
      itemsOf(localStorage),
      itemsOf(sessionStorage),
      rows,
      cached,
      [window.history.state, window.name, document.referrer, location.href],
    ].map((kept) => JSON.stringify(kept));
  });
  return [
    ['local storage', local ?? ''],
    ['session storage', session ?? ''],
    ['IndexedDB', databases ?? ''],
    ['caches', caches ?? ''],
    ['history', history ?? ''],
    ['cookies', JSON.stringify(await page.context().cookies())],
    ['page source', await page.content()],
  ];
}

/** Every row of every table, as text. */
export async function storedInPostgres(sql: postgres.Sql): Promise<Places> {
  const tables = await sql<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`;
  const places: Places = [];
  for (const { schema, name } of tables) {
    const rows = await sql<{ text: string }[]>`
      select t::text as text from ${sql(schema)}.${sql(name)} t`;
    places.push([`table ${name}`, rows.map(({ text }) => text).join('\n')]);
  }
  return places;
}

/** Every key of Redis with its value, of any type. */
export async function storedInRedis(url: string): Promise<Places> {
  const redis = new Redis(url);
  const said: string[] = [];
  try {
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'COUNT', 1_000);
      const values = await Promise.all(keys.map((key) => readValue(redis, key)));
      said.push(...keys, JSON.stringify(values));
      cursor = next;
    } while (cursor !== '0');
  } finally {
    redis.disconnect();
  }
  return [['Redis', said.join('\n')]];
}

async function readValue(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case 'none':
      return null;
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, 0, -1);
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      throw new Error(`a key of type ${type} was not looked into`);
  }
}
