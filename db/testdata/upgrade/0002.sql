-- What schema version 2 added.
INSERT INTO documents (collection, id, body, updated_at) VALUES ('providers', 'openai', CAST('{"id":"openai"}' AS BLOB), 1900000000000);
