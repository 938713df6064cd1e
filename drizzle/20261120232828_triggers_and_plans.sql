-- A project's policy revision is a fresh random UUID after every change of its policies, whoever
-- makes it, so that a Runtime's cached list is never taken for a newer one (consistency rule 6).
CREATE FUNCTION set_policy_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    UPDATE projects SET policy_revision = gen_random_uuid() WHERE id = OLD.project_id;
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.project_id <> OLD.project_id) THEN
    UPDATE projects SET policy_revision = gen_random_uuid() WHERE id = NEW.project_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION set_every_policy_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE projects SET policy_revision = gen_random_uuid();
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER policies_revision AFTER INSERT OR UPDATE OR DELETE ON policies
  FOR EACH ROW EXECUTE FUNCTION set_policy_revision();
--> statement-breakpoint
CREATE TRIGGER policies_truncate_revision AFTER TRUNCATE ON policies
  FOR EACH STATEMENT EXECUTE FUNCTION set_every_policy_revision();
--> statement-breakpoint
-- revoked_at and archived_at follow the status, so that a plain UPDATE of the status is complete.
CREATE FUNCTION stamp_api_key_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.revoked_at := CASE WHEN NEW.status = 'revoked' THEN coalesce(NEW.revoked_at, now()) END;
  NEW.archived_at := CASE WHEN NEW.status = 'archived' THEN coalesce(NEW.archived_at, now()) END;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER api_keys_status BEFORE INSERT OR UPDATE OF status, revoked_at, archived_at ON api_keys
  FOR EACH ROW EXECUTE FUNCTION stamp_api_key_status();
--> statement-breakpoint
INSERT INTO plans (name, active_key_cap, rate_limit_per_minute, monthly_quota) VALUES
  ('Free', 3, 60, 10000),
  ('Starter', 10, 300, 100000),
  ('Pro', 50, 1200, 1000000),
  ('Scale', 500, 6000, 20000000);
