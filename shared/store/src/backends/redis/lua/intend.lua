-- KEYS: writer, calls of the scope, scopes. ARGV: fence, scope, ordinal, request, token.
local call = ARGV[3] .. ':' .. ARGV[4]
local known = redis.call('HMGET', KEYS[2], ARGV[3], call .. ':attempts', call .. ':token')
if known[3] == ARGV[5] then return {'done', ''} end
if not redis.call('ZSCORE', KEYS[3], ARGV[2]) then return {'unlisted', ''} end
local requests = known[1] or ARGV[4]
local attempts = tonumber(known[2] or '0')
if known[1] and attempts == 0 then
  -- New, or taken back before and so as good as new: it comes behind the others.
  requests = ''
  for request in string.gmatch(known[1], '%S+') do
    if request ~= ARGV[4] then requests = requests .. request .. ' ' end
  end
  requests = requests .. ARGV[4]
end
attempts = string.format('%.0f', attempts + 1)
redis.call('HSET', KEYS[2], ARGV[3], requests, call .. ':attempts', attempts, call .. ':token', ARGV[5])
return {'done', ''}
