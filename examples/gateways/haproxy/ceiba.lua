-- Asks Ceiba whether a request may proceed. Sets txn.ceiba_allowed and the headers of an allow as
-- variables, or replies to the caller with Ceiba's answer. Without an answer the reply is a 503.

local URL = 'http://' .. os.getenv('CEIBA_RUNTIME') .. '/rt/projects/'
  .. os.getenv('CEIBA_PROJECT_ID') .. '/forward-auth'
local SECRET = os.getenv('CEIBA_PROJECT_SECRET')
local ASK_THROUGH = 'abns@ceiba-' .. os.getenv('LISTEN_PORT')
-- Above the timeouts of that proxy together: past it, HAProxy would ask again.
local TIMEOUT_MS = 4000

-- Headers of the question, with every value that the caller sent.
local PASSED_ON = { 'authorization', 'x-api-key', 'x-request-id', 'traceparent', 'tracestate' }
-- Headers of an allow, for the upstream and the caller.
local ALLOW = {
  ceiba_project_id = 'x-ceiba-project-id',
  ceiba_decision_id = 'x-ceiba-decision-id',
  ceiba_key_id = 'x-ceiba-key-id',
  ceiba_customer_id = 'x-ceiba-customer-id',
  ceiba_customer_external_id = 'x-ceiba-customer-external-id',
  ceiba_policy_id = 'x-ceiba-policy-id',
  ceiba_plan_id = 'x-ceiba-plan-id',
  ceiba_ratelimit = 'ratelimit',
  ceiba_ratelimit_policy = 'ratelimit-policy',
}
-- Headers of a denial, for the caller: all but X-Ceiba-*.
local DENIAL = {
  'content-type', 'cache-control', 'www-authenticate', 'retry-after', 'ratelimit', 'ratelimit-policy',
}

local function values_of(headers, name)
  local values = {}
  -- HAProxy counts values from 0.
  for index = 0, #(headers[name] or {}) do
    values[#values + 1] = headers[name] and headers[name][index]
  end
  return values
end

local function question_of(txn)
  local headers = {
    ['x-service-project-secret'] = { SECRET },
    ['x-original-method'] = { txn.f:method() },
    ['x-original-uri'] = { txn.f:url() },
    ['x-forwarded-for'] = { txn.f:src() },
  }
  local received = txn.http:req_get_headers()
  for _, name in ipairs(PASSED_ON) do
    local values = values_of(received, name)
    if #values > 0 then headers[name] = values end
  end
  return headers
end

-- The target alone, or the key, is more than the Runtime reads.
local function refuse_headers(txn)
  txn:done(txn:reply({
    status = 431,
    headers = { ['content-type'] = { 'application/json' }, ['cache-control'] = { 'no-store' } },
    body = '{"error":"headers_too_large","message":"The headers are too large."}',
  }))
end

local function deny(txn, answer)
  local headers = {}
  for _, name in ipairs(DENIAL) do
    local values = values_of(answer.headers, name)
    if #values > 0 then headers[name] = values end
  end
  txn:done(txn:reply({ status = answer.status, headers = headers, body = answer.body }))
end

local function ask(txn)
  local client = core.httpclient()
  local cost = txn:get_var('txn.ceiba_cost')
  local answer = client:get({
    url = cost and URL .. '?cost=' .. cost or URL, dst = ASK_THROUGH, headers = question_of(txn), timeout = TIMEOUT_MS,
  })
  if answer.status == 200 then
    for variable, name in pairs(ALLOW) do
      local value = values_of(answer.headers, name)[1]
      if value then txn:set_var('txn.' .. variable, value) end
    end
    txn:set_var('txn.ceiba_allowed', true)
  elseif answer.status == 401 or answer.status == 403 or answer.status == 429 then
    deny(txn, answer)
  elseif answer.status == 431 then
    refuse_headers(txn)
  end
  -- Everything else is no verdict: the configuration replies with a 503.
end

core.register_action('ceiba', { 'http-req' }, ask, 0)
