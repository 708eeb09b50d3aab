-- Retire a token for its successor. Of several successors at once one wins, and wins again when it asks again.
--
-- KEYS[1]  the token: hash of player and record, or of successor alone for a while after it was retired
-- ARGV[1]  hash of the new token
-- ARGV[2]  seconds a retired token is remembered
--
-- Returns 1 if the new token is the successor, 0 if not.
local token = redis.call('HMGET', KEYS[1], 'player', 'successor')
if token[2] then return token[2] == ARGV[1] and 1 or 0 end
if not token[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'successor', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
