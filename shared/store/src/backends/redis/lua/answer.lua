-- KEYS: writer, calls of the scope. ARGV: fence, ordinal, request, answer, its digest.
local call = ARGV[2] .. ':' .. ARGV[3]
local known = redis.call('HMGET', KEYS[2], call .. ':attempts', call .. ':answer')
if not known[1] or known[1] == '0' then return {'unannounced', ''} end
if known[2] == ARGV[4] then return {'done', ''} end
if known[2] then return {'exists', ''} end
redis.call('HSET', KEYS[2], call .. ':answer', ARGV[4], call .. ':digest', ARGV[5])
return {'done', ''}
