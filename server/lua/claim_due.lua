-- Claim work that is due: each piece goes to one claimer, and comes back when that one does not do it.
--
-- KEYS[1]  due work: sorted set of table ids by the time they are due, milliseconds of this server's clock
-- ARGV[1]  how long what is claimed is kept from others, milliseconds
-- ARGV[2]  how many at most
--
-- Returns the claimed table ids, the longest due first.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, id in ipairs(due) do redis.call('ZADD', KEYS[1], now + ARGV[1], id) end
return due
