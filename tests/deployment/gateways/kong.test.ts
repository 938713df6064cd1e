import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';

/** Kong is not on this machine. Its plugin is Lua 5.1, which Redis runs, with a Kong of these functions. */
const KONG = (plugin: string) => `
local received = cjson.decode(ARGV[1])
local passed = {}
for name, value in pairs(received) do passed[name:lower()] = value end
local kong = {
  request = {
    get_headers = function() return received end,
    get_method = function() return 'GET' end,
  },
  client = { get_ip = function() return '192.0.2.1' end },
  service = {
    request = {
      clear_header = function(name) passed[name:lower()] = nil end,
      set_header = function(name, value) passed[name:lower()] = value end,
    },
  },
  response = { exit = function(status) return status end },
}
local ngx = { var = { request_uri = '/v1/reports' } }
local asked = 0
local function require()
  local client = {}
  function client.set_timeouts() end
  function client.request_uri()
    asked = asked + 1
    return { status = 200, headers = { ['X-Ceiba-Key-Id'] = 'of Ceiba' } }
  end
  return { new = function() return client end }
end
local function access()
${plugin}
end
local status = access() or 200
return cjson.encode({ status = status, asked = asked, passed = passed })`;

const file = readFileSync(
  new URL('../../../examples/gateways/kong/kong.yaml', import.meta.url),
  'utf8',
);
const plugin = file.slice(file.indexOf('- |\n') + 4);
const redis = new Redis(String(process.env.REDIS_URL));
afterAll(() => redis.quit());

/** What the plugin replies and passes on; Kong gives it names in lower case, and repeated ones as a list. */
async function send(headers: Record<string, string | string[]>) {
  const answer = await redis.eval(KONG(plugin), 0, JSON.stringify(headers));
  return JSON.parse(String(answer)) as { status: number; asked: number; passed: object };
}

describe('the plugin for Kong', () => {
  it('passes on what the caller sent and what Ceiba says, and no other identity, path or method', async () => {
    const claims = [
      ['x-ceiba-key-id', 'x_ceiba_key_id', 'x.ceiba.plan-id', 'script_name', 'path_info'],
      ['daphne-root-path', 'x-forwarded-prefix', 'x-script-name', 'x-original-url'],
      ['x-rewrite-url', 'x-http-method-override', 'x-http-method', 'x-method-override'],
    ].flat();
    const headers = Object.fromEntries(claims.map((name) => [name, 'of the caller']));
    const reply = await send({ ...headers, accept: '*/*' });
    expect(reply).toEqual({
      status: 200,
      asked: 1,
      passed: { accept: '*/*', 'x-ceiba-key-id': 'of Ceiba' },
    });
  });

  it.each([
    'keep-alive, X-Ceiba-Customer-Id',
    'x-ceiba-key-id',
    ['keep-alive', 'close, X_Ceiba_Key-Id'],
  ])('refuses a Connection header that takes the identity away, as %j', async (connection) => {
    expect(await send({ connection })).toMatchObject({ status: 400, asked: 0 });
  });

  it.each(['keep-alive', 'close', 'Upgrade', ['keep-alive', 'Upgrade']])(
    'lets a Connection header of %j through',
    async (connection) => {
      expect(await send({ connection })).toMatchObject({ status: 200, asked: 1 });
    },
  );
});
