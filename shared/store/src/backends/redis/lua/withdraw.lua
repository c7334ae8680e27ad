-- KEYS: writer, calls of the scope. ARGV: fence, ordinal, request, token.
local call = ARGV[2] .. ':' .. ARGV[3]
local known = redis.call('HMGET', KEYS[2], call .. ':attempts', call .. ':token', call .. ':answer')
if known[2] == ARGV[4] then return {'done', ''} end
local attempts = tonumber(known[1] or '0')
local answered = known[3] and 1 or 0
if attempts <= answered then return {'done', ''} end
redis.call('HSET', KEYS[2], call .. ':attempts', string.format('%.0f', attempts - 1), call .. ':token', ARGV[4])
return {'done', ''}
