-- A trigger runs in the session of whoever makes the change: with their search path, and with their
-- rights. So each function names the schema of its tables (the migrator replaces "public" by that of
-- the installation), fixes its own path, and runs as its owner. (ADR 0046)
CREATE OR REPLACE FUNCTION "public".set_policy_revision() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    UPDATE "public".projects SET policy_revision = gen_random_uuid() WHERE id = OLD.project_id;
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.project_id <> OLD.project_id) THEN
    UPDATE "public".projects SET policy_revision = gen_random_uuid() WHERE id = NEW.project_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "public".set_every_policy_revision() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE "public".projects SET policy_revision = gen_random_uuid();
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "public".stamp_api_key_status() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.revoked_at := CASE WHEN NEW.status = 'revoked' THEN coalesce(NEW.revoked_at, now()) END;
  NEW.archived_at := CASE WHEN NEW.status = 'archived' THEN coalesce(NEW.archived_at, now()) END;
  RETURN NEW;
END $$;
--> statement-breakpoint
-- Whether a trigger may be created with a function is checked then, never when it fires.
REVOKE ALL ON FUNCTION "public".set_policy_revision(), "public".set_every_policy_revision(),
  "public".stamp_api_key_status() FROM PUBLIC;
--> statement-breakpoint
-- Changes that logical replication applies, or a session in the role replica, count too.
ALTER TABLE "policies" ENABLE ALWAYS TRIGGER policies_revision;
--> statement-breakpoint
ALTER TABLE "policies" ENABLE ALWAYS TRIGGER policies_truncate_revision;
--> statement-breakpoint
ALTER TABLE "api_keys" ENABLE ALWAYS TRIGGER api_keys_status;
