-- One page of the lobby list, newest first.
--
-- KEYS[1]  order: sorted set of table ids by the time they were listed
-- KEYS[2]  rows: hash of table id to what the list shows
-- ARGV[1]  how many at most
-- ARGV[2]  time of the last entry of the page before, or "+inf"
-- ARGV[3]  table id of that entry, or ""
--
-- Returns {id, time, row, id, time, row, ...}. Entries of one time are ordered by id, so the position of an
-- entry that has left the list is still a position.
local limit = tonumber(ARGV[1])
local page = {}
local offset = 0
repeat
  local chunk = redis.call('ZRANGE', KEYS[1], ARGV[2], '-inf', 'BYSCORE', 'REV', 'LIMIT', offset, limit, 'WITHSCORES')
  for i = 1, #chunk, 2 do
    local id, time = chunk[i], chunk[i + 1]
    local passed = ARGV[3] ~= '' and tonumber(time) == tonumber(ARGV[2]) and id >= ARGV[3]
    if not passed and #page < 3 * limit then
      local row = redis.call('HGET', KEYS[2], id)
      if row then
        page[#page + 1] = id
        page[#page + 1] = time
        page[#page + 1] = row
      end
    end
  end
  offset = offset + limit
until #page >= 3 * limit or #chunk < 2 * limit
return page
