ALTER TABLE "projects" ADD COLUMN "first_allowed_at" timestamp with time zone;--> statement-breakpoint
-- Projects that were allowed calls before: in the first hour that is still known, else when they were created.
UPDATE "projects" SET "first_allowed_at" = coalesce(
	(SELECT min("hour") FROM "usage_hours" WHERE "project_id" = "projects"."id" AND "outcome" = 'allowed' AND "count" > 0),
	"created_at")
WHERE EXISTS (SELECT FROM "usage_months" WHERE "project_id" = "projects"."id" AND "count" > 0);
