-- KEYS: writer, blob. ARGV: fence, digest of the blob at rest, number of the chunk, chunk.
redis.call('HSET', KEYS[2], ARGV[2] .. ':' .. ARGV[3], ARGV[4])
return {'done', ''}
