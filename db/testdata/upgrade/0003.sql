-- What schema version 3 added.
INSERT INTO requests (seq, id, at, combo, outcome, status, body)
VALUES (1900000000000000000, 'req_a', 1900000000000, 'fast', 'failed', 503, CAST('{"id":"req_a"}' AS BLOB));
UPDATE requests_size SET number = 1, bytes = 14;
