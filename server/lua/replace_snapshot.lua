-- Replace a table's snapshot that was rebuilt from its events, if nothing was appended meanwhile.
--
-- KEYS[1]  the table: hash of version and snapshot
-- ARGV[1]  version the snapshot is of
-- ARGV[2]  snapshot
--
-- Returns 1 if replaced, 0 if not.
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'snapshot', ARGV[2])
return 1
