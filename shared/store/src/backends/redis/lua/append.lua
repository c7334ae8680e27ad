-- KEYS: writer, events, streams. ARGV: fence, stream, expected length, how many events, token, digest
-- of the packed events, packed events. The id of an entry is the stream's length with it.
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local length = last and string.match(last[1], '^%d+') or '0'
local count = tonumber(ARGV[4])
local longer = string.format('%.0f', tonumber(ARGV[3]) + count)
if length ~= ARGV[3] then
    if count > 0 and tonumber(longer) <= tonumber(length) then
        -- The same append again, because its answer got lost.
        local there = redis.call('XRANGE', KEYS[2], longer .. '-0', longer .. '-0')[1]
        if there and there[2][2] == ARGV[5] then return {'done', longer} end
    end
    return {'conflict', length}
end
if count == 0 then return {'done', length} end
if length == '0' and not redis.call('ZSCORE', KEYS[3], ARGV[2]) then return {'unlisted', ''} end
redis.call('XADD', KEYS[2], longer .. '-0', 'token', ARGV[5], 'digest', ARGV[6], 'events', ARGV[7])
return {'done', longer}
