-- Every flush updates rows of these tables. With room on their page, Postgres writes the new version
-- beside the old one and leaves the indexes alone. Pages that exist keep their room until a rewrite.
ALTER TABLE "usage_hours" SET (fillfactor = 70);--> statement-breakpoint
ALTER TABLE "usage_months" SET (fillfactor = 70);--> statement-breakpoint
ALTER TABLE "api_keys" SET (fillfactor = 80);
