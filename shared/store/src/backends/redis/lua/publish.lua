-- KEYS: writer, blob. ARGV: fence, digest of the blob at rest, how many chunks before the last, the
-- last chunk.
for n = 0, tonumber(ARGV[3]) - 1 do
    local chunk = string.format('%s:%.0f', ARGV[2], n)
    if redis.call('HEXISTS', KEYS[2], chunk) == 0 then return {'lost', ''} end
end
redis.call('HSET', KEYS[2], 'body', ARGV[2], 'chunks', ARGV[3], 'last', ARGV[4])
return {'done', ''}
