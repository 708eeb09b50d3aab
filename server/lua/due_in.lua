-- Say when a table wants attention, in time counted from now.
--
-- KEYS[1]  due work: sorted set of table ids by the time they are due, milliseconds of this server's clock
-- ARGV[1]  table id
-- ARGV[2]  how soon, milliseconds
--
-- Returns nothing of interest. Time is this server's throughout: clocks of processes may differ, and be set.
local time = redis.call('TIME')
return redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2], ARGV[1])
