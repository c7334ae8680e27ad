-- KEYS: writer, format. ARGV: owner, time to live in ms, format. Times are microseconds of the server.
local format = redis.call('GET', KEYS[2])
if format ~= ARGV[3] then return {'format', format or ''} end
local writer = redis.call('HMGET', KEYS[1], 'fence', 'owner', 'until')
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if tonumber(writer[3] or '0') > now then return {'held', writer[2]} end
-- At least the time: a server that lost its last second must not hand out a fence twice.
local fence = string.format('%.0f', math.max(tonumber(writer[1] or '0') + 1, now))
local ending = string.format('%.0f', now + ARGV[2] * 1000)
redis.call('HSET', KEYS[1], 'fence', fence, 'owner', ARGV[1], 'until', ending)
return {'acquired', fence}
