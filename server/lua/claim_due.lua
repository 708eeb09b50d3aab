-- Claim work that is due: each piece goes to one claimer, and comes back when that one does not do it.
--
-- KEYS[1]  due work: sorted set of table ids by the time they are due, milliseconds
-- ARGV[1]  now, milliseconds
-- ARGV[2]  until when what is claimed is kept from others, milliseconds
-- ARGV[3]  how many at most
--
-- Returns the claimed table ids, the longest due first.
local due = redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[3])
for _, id in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[2], id) end
return due
