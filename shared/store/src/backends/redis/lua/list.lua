-- KEYS: writer, list. ARGV: fence, name.
redis.call('ZADD', KEYS[2], 0, ARGV[2])
return {'done', ''}
