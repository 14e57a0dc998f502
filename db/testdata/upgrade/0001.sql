-- What a database of schema version 1 may hold.
INSERT INTO breakers (name, state, reason, kind, version, measure, window_ns, failure_count, kind_counts, buckets,
    last_failure_kind, last_failure_at, opened_at, retry_at, open_cycle, probe_successes, cooldown_until,
    cooldown_hinted, isolated_at, isolated_by, isolated_reason, fingerprint, updated_at)
VALUES ('key:openai/main', 'OPEN', 'kind-threshold', 'rate_limit', 41, 'window', 10000000000, 3, '{"rate_limit":3}',
    '[{"start":1900000000000,"total":9,"failed":3,"kinds":{"rate_limit":3}}]',
    'rate_limit', 1900000001000, 1900000002000, 1900000032000, 2, 1, 1900000007000,
    1, NULL, NULL, NULL, 'hmac:0123', 1900000002000);
INSERT INTO breakers (name, state, reason, kind, version, measure, window_ns, failure_count, kind_counts, buckets,
    last_failure_kind, open_cycle, probe_successes, cooldown_hinted, isolated_at, isolated_by, isolated_reason, fingerprint)
VALUES ('provider:openai', 'ISOLATED', 'isolated', '', 42, 'decay', 0, 0, '{}', '[]',
    '', 0, 0, 0, 1900000003000, 'ann', 'maintenance', '');
INSERT INTO breaker_transitions (name, seq, at, from_state, to_state, reason, kind, measure, wait_ms, enforce)
VALUES ('key:openai/main', 41, 1900000002000, 'DEGRADED', 'OPEN', 'kind-threshold', 'rate_limit', 0.375, 30000, 1);
UPDATE breaker_versions SET deleted = 57;
