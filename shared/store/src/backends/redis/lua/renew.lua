-- KEYS: writer. ARGV: fence, time to live in ms. A lease that ran out while nobody took it is taken up
-- again: the fence alone says who may write.
local time = redis.call('TIME')
local ending = string.format('%.0f', time[1] * 1000000 + time[2] + ARGV[2] * 1000)
redis.call('HSET', KEYS[1], 'until', ending)
return {'done', ''}
