CREATE INDEX "api_keys_prefix_idx" ON "api_keys" USING btree ("project_id","key_prefix" collate "C");
--> statement-breakpoint
-- Names and notes are found by their trigrams. `pg_trgm` is part of PostgreSQL and trusted; where a
-- server lacks it, or the role may not create it, a search reads every key of the project instead.
-- Without fastupdate a search never reads a list of keys that the index does not hold yet.
DO $$
DECLARE
  home text;
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  SELECT extnamespace::regnamespace::text INTO home FROM pg_catalog.pg_extension WHERE extname = 'pg_trgm';
  EXECUTE pg_catalog.format(
    'CREATE INDEX api_keys_words_idx ON api_keys USING gin (lower(display_name || '' '' || note) %s.gin_trgm_ops) WITH (fastupdate = off)',
    home);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR invalid_schema_name THEN
  RAISE NOTICE 'No index for searches of keys: %. Create the extension pg_trgm and run the statement of this migration.', SQLERRM;
END $$;
