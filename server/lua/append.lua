-- Append events to a table if nothing was appended meanwhile; with after = 0, create the table.
--
-- KEYS[1]  the table: hash of version, act (the last one), snapshot, and "keys:<player>" = the player's last idempotency keys,
--          newest first, as digests of 16 bytes
-- KEYS[2]  the table's events: stream of <number>-0, fields e = the event, and a = the act (first of an act)
-- ARGV[1]  channel of the hint
-- ARGV[2]  version the events follow on; with a space and the act that led to it, if that is known: after a
--          failover that lost events a version may come again with another history
-- ARGV[3]  act: the name of this one change, the same when it is tried again
-- ARGV[4]  seconds until the table expires
-- ARGV[5]  snapshot after the events, or "" to keep the one of an earlier version
-- ARGV[6]  field of the player's idempotency keys, or ""
-- ARGV[7]  digest of this idempotency key, or ""
-- ARGV[8]  how many idempotency keys a player has remembered
-- ARGV[9]  and on: the events, at least one
--
-- Returns {outcome, version}: "appended" and the version of this act, also when an earlier try of the same
-- act did it; or nothing changed: "repeated" (key seen), "moved" (version or its act is another), "gone" (no table).
local number, on = string.match(ARGV[2], '^(%d+) ?(.*)$')
local after = tonumber(number)
local stored = redis.call('HMGET', KEYS[1], 'version', 'act')
local version = tonumber(stored[1])
if not version then
  if after > 0 then return {'gone', 0} end
  version = 0
end

if version > after then
  local found = redis.call('XRANGE', KEYS[2], after + 1, after + 1)[1]
  if found and found[2][3] == 'a' and found[2][4] == ARGV[3] then
    return {'appended', after + #ARGV - 8}
  end
end

local seen = ''
if ARGV[6] ~= '' then
  seen = redis.call('HGET', KEYS[1], ARGV[6]) or ''
  local at = string.find(seen, ARGV[7], 1, true)
  while at and at % 16 ~= 1 do at = string.find(seen, ARGV[7], at + 1, true) end
  if at then return {'repeated', version} end
end
if version ~= after then return {'moved', version} end
if on ~= '' and stored[2] and stored[2] ~= on then return {'moved', version} end

for i = 9, #ARGV do
  version = version + 1
  if i == 9 then
    redis.call('XADD', KEYS[2], version .. '-0', 'e', ARGV[i], 'a', ARGV[3])
  else
    redis.call('XADD', KEYS[2], version .. '-0', 'e', ARGV[i])
  end
end
local fields = {'version', version, 'act', ARGV[3]}
local function set(field, value)
  fields[#fields + 1] = field
  fields[#fields + 1] = value
end
if ARGV[5] ~= '' then set('snapshot', ARGV[5]) end
if ARGV[6] ~= '' then set(ARGV[6], string.sub(ARGV[7] .. seen, 1, 16 * tonumber(ARGV[8]))) end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[4])
redis.call('PUBLISH', ARGV[1], version)
return {'appended', version}
