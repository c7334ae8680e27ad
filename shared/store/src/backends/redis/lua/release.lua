-- KEYS: writer. ARGV: fence.
local fence = string.format('%.0f', tonumber(ARGV[1]) + 1)
redis.call('HSET', KEYS[1], 'fence', fence, 'owner', '', 'until', 0)
return {'done', ''}
