import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const world = vi.hoisted(() => ({
  origin: 'http://localhost:3000',
  sent: [] as { name: string; value: string }[],
  withDatabase: vi.fn(),
  set: vi.fn(),
}));

vi.mock('server-only', () => ({}));
vi.mock('../env.ts', () => ({ env: () => ({ publicOrigin: world.origin }) }));
vi.mock('./session-database.ts', () => ({ withSessionDatabase: world.withDatabase }));
vi.mock('@ceiba/schema', () => ({ readInstallationId: () => {} }));
vi.mock('next/headers', () => ({
  cookies: async () => ({
    getAll: () => world.sent,
    get: (name: string) => world.sent.find((cookie) => cookie.name === name),
    set: world.set,
  }),
}));

const ours = '1a2b3c4d-0000-4000-8000-000000000000';
/** A new process of the console. */
const start = async () => {
  vi.resetModules();
  return import('./own-cookies.ts');
};

beforeEach(() => {
  world.withDatabase.mockResolvedValue(ours);
});
afterEach(() => {
  world.origin = 'http://localhost:3000';
  world.sent = [];
  vi.resetAllMocks();
});

describe('the name of a cookie', () => {
  it('has eight digits of the installation, and no prefix over plain HTTP', async () => {
    const { cookieName } = await start();
    expect(await cookieName('session-token')).toBe('ceiba.1a2b3c4d.session-token');
  });

  it('has the prefix __Host- over HTTPS, with the attributes that the prefix requires', async () => {
    world.origin = 'https://console.example.com';
    const { cookieName, setCookie } = await start();
    expect(await cookieName('csrf-token')).toBe('__Host-ceiba.1a2b3c4d.csrf-token');
    await setCookie('setup-token', 'x', { sameSite: 'lax', maxAgeSeconds: 60 });
    expect(world.set).toHaveBeenCalledExactlyOnceWith('__Host-ceiba.1a2b3c4d.setup-token', 'x', {
      httpOnly: true,
      secure: true,
      path: '/',
      sameSite: 'lax',
      maxAge: 60,
    });
  });

  it('asks the database once, and again only after an outage', async () => {
    const { cookieName } = await start();
    world.withDatabase.mockRejectedValueOnce(new Error('outage'));
    await expect(cookieName('state')).rejects.toThrow('outage');
    await cookieName('state');
    await cookieName('nonce');
    expect(world.withDatabase).toHaveBeenCalledTimes(2);
  });
});

describe('reading a cookie', () => {
  it('ignores those of another installation on the same host', async () => {
    world.sent = [
      { name: 'ceiba.ffffffff.session-token', value: 'theirs' },
      { name: 'ceiba.1a2b3c4d.session-token', value: 'ours' },
    ];
    const { readCookie } = await start();
    expect(await readCookie('session-token')).toBe('ours');
    world.sent = world.sent.slice(0, 1);
    expect(await readCookie('session-token')).toBeUndefined();
  });

  it('needs no database where the browser sends none for this purpose', async () => {
    world.sent = [{ name: 'ceiba.1a2b3c4d.csrf-token', value: 'x' }];
    const { readCookie } = await start();
    expect(await readCookie('session-token')).toBeUndefined();
    expect(world.withDatabase).not.toHaveBeenCalled();
  });
});
