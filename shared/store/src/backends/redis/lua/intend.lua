-- KEYS: writer, calls of the scope, scopes. ARGV: fence, scope, ordinal, request, token.
local call = ARGV[3] .. ':' .. ARGV[4]
local known = redis.call('HMGET', KEYS[2], ARGV[3], call .. ':attempts', call .. ':token')
if known[3] == ARGV[5] then return {'done', ''} end
if not redis.call('ZSCORE', KEYS[3], ARGV[2]) then return {'unlisted', ''} end
local requests = known[1] or ARGV[4]
if known[1] and not known[2] then requests = known[1] .. ' ' .. ARGV[4] end
local attempts = string.format('%.0f', tonumber(known[2] or '0') + 1)
redis.call('HSET', KEYS[2], ARGV[3], requests, call .. ':attempts', attempts, call .. ':token', ARGV[5])
return {'done', ''}
