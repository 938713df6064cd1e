ALTER TABLE "decisions" ADD COLUMN "limit_owner" text;--> statement-breakpoint
-- NOT VALID: a column that is new holds nothing to check, and a scan would block the log meanwhile.
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_limit_owner_check" CHECK ("limit_owner" in ('plan', 'api_key', 'project_default')) NOT VALID;
