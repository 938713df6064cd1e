CREATE TABLE "decision_revisions" (
	"project_id" uuid NOT NULL,
	"r" bigint DEFAULT uuid_hash_extended(gen_random_uuid(), 0) NOT NULL,
	CONSTRAINT "decision_revisions_pkey" PRIMARY KEY("project_id","r")
);
--> statement-breakpoint
ALTER TABLE "decision_revisions" ADD CONSTRAINT "decision_revisions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- A project's revision is the bit_xor of its rows. A change adds a random number once per transaction
-- and project, so it waits for nobody; in the same statement it folds the rows that nobody has locked
-- into its own, which leaves their sum as it is. The mark ends with the transaction, and is taken back
-- with the row when a savepoint is rolled back. (consistency rule 6, ADR 0046)
-- expand: it deletes only rows that the previous release does not know.
CREATE FUNCTION "public".revise_project(project uuid) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mark text := pg_current_xact_id() || ':';
  revised text := current_setting('ceiba.revised', true);
BEGIN
  IF NOT coalesce(starts_with(revised, mark), false) OR length(revised) > 4000 THEN
    revised := mark;
  END IF;
  IF strpos(revised, project::text) > 0 THEN RETURN; END IF;
  IF current_setting('transaction_isolation') = 'read committed' THEN
    WITH folded AS (
      DELETE FROM "public".decision_revisions WHERE (project_id, r) IN (
        SELECT project_id, r FROM "public".decision_revisions WHERE project_id = project
        FOR UPDATE SKIP LOCKED)
      RETURNING r
    )
    INSERT INTO "public".decision_revisions (project_id, r)
    SELECT id, uuid_hash_extended(gen_random_uuid(), 0) # (SELECT coalesce(bit_xor(r), 0) FROM folded)
    FROM "public".projects WHERE id = project;
  ELSE
    -- A row that another transaction has folded since the snapshot would be an error here.
    INSERT INTO "public".decision_revisions (project_id)
    SELECT id FROM "public".projects WHERE id = project;
  END IF;
  -- A project that is deleted in this transaction, and may be created again in it.
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM set_config('ceiba.revised', revised || project || ' ', true);
END $$;
--> statement-breakpoint
-- expand: the same triggers as before call it; the previous release reads projects.policy_revision.
CREATE OR REPLACE FUNCTION "public".set_policy_revision() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM "public".revise_project(OLD.project_id); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM "public".revise_project(NEW.project_id); END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "public".set_every_policy_revision() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO "public".decision_revisions (project_id) SELECT id FROM "public".projects;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- For the previous release, which reads this column: at the commit, so that an open transaction locks
-- no project, and where nobody has the row. Otherwise that release waits for rule 26, five seconds.
CREATE FUNCTION "public".set_previous_policy_revision() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') = 'read committed' THEN
    UPDATE "public".projects SET policy_revision = gen_random_uuid() WHERE id = (
      SELECT id FROM "public".projects WHERE id = NEW.project_id FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER decision_revisions_previous AFTER INSERT ON "decision_revisions"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "public".set_previous_policy_revision();
--> statement-breakpoint
ALTER TABLE "decision_revisions" ENABLE ALWAYS TRIGGER decision_revisions_previous;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "public".revise_project(uuid), "public".set_previous_policy_revision()
  FROM PUBLIC;
--> statement-breakpoint
-- A project begins with a revision of its own: one that is deleted and created again, with the same ID
-- and other policies, never has a revision that a Runtime knows.
CREATE FUNCTION "public".begin_project_revision() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO "public".decision_revisions (project_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER projects_revision AFTER INSERT ON "projects"
  FOR EACH ROW EXECUTE FUNCTION "public".begin_project_revision();
--> statement-breakpoint
ALTER TABLE "projects" ENABLE ALWAYS TRIGGER projects_revision;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "public".begin_project_revision() FROM PUBLIC;
--> statement-breakpoint
INSERT INTO "public".decision_revisions (project_id) SELECT id FROM "public".projects;
--> statement-breakpoint
-- The previous release's revisions at once: a later migration could not alter a table with pending events.
SET CONSTRAINTS ALL IMMEDIATE;
--> statement-breakpoint
SET CONSTRAINTS ALL DEFERRED;
