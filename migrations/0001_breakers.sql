-- +goose Up

-- "OHMR": the file is a database of ohmroute.
PRAGMA application_id = 0x4f484d52;
