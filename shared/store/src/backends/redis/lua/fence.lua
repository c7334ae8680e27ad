-- Opens every script of a writer: KEYS[1] is the writer's record, ARGV[1] the caller's fence.
local writer = redis.call('HMGET', KEYS[1], 'fence', 'owner')
if not writer[1] then return {'forgotten', ''} end
if writer[1] ~= ARGV[1] then return {'fenced', writer[2] or ''} end
