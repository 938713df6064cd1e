--[[
Asks a server for decisions, and counts the answers that were not expected.

Arguments
  1  a file of lines of one width, without line breaks: an API key, or a project id and an API key
  2  the width of a line
  3  questions per request; more than one make a batch
  4  what an answer has to contain, once per question
  5  the path; `{projectId}` is replaced by the first 36 characters of the line
]]

unexpected = 0

local lines, width, count, perRequest, marker, before, after

local function nextLine()
  local index = math.random(0, count - 1)
  return string.sub(lines, index * width + 1, (index + 1) * width)
end

local function question(line)
  return '{"apiKey":"' .. string.sub(line, -55) .. '","method":"GET","path":"/v1/reports/42"}'
end

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  lines = file:read('*a')
  file:close()
  width, perRequest, marker = tonumber(args[2]), tonumber(args[3]), args[4]
  count = #lines / width
  math.randomseed(os.time())
  local head = wrk.format('POST', args[5], nil, '')
  head = string.gsub(head, 'Content%-Length: 0\r\n', '')
  before, after = string.match(head, '^(.*){projectId}(.*)\r\n$')
  if not before then before, after = string.match(head, '^(.*)()\r\n$') end
  if type(after) == 'number' then after = '' end
end

function request()
  local line = nextLine()
  local body = question(line)
  if perRequest > 1 then
    local questions = { body }
    for i = 2, perRequest do questions[i] = question(nextLine()) end
    body = '{"requests":[' .. table.concat(questions, ',') .. ']}'
  end
  local id = after ~= '' and string.sub(line, 1, 36) or ''
  return before .. id .. after .. 'Content-Length: ' .. #body .. '\r\n\r\n' .. body
end

local function isExpected(status, body)
  if status ~= 200 then return false end
  local from = 1
  for _ = 1, perRequest do
    local _, last = string.find(body, marker, from, true)
    if not last then return false end
    from = last + 1
  end
  return true
end

function response(status, _, body)
  if not isExpected(status, body) then unexpected = unexpected + 1 end
end

local threads = {}
function setup(thread) threads[#threads + 1] = thread end

function done(summary, latency)
  local wrong = 0
  for _, thread in ipairs(threads) do wrong = wrong + thread:get('unexpected') end
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"unexpected":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    wrong + errors.connect + errors.read + errors.write + errors.timeout))
end
