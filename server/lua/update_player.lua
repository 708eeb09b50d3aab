-- Change a player's record under a token that is still good. A token that was replaced is not woken up.
--
-- KEYS[1]  the token: hash of player and record
-- ARGV[1]  player id
-- ARGV[2]  record
--
-- Returns 1 if changed, 0 if the token is not (or no longer) this player's.
if redis.call('HGET', KEYS[1], 'player') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'record', ARGV[2])
return 1
