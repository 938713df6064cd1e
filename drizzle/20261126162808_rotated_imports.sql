-- expand: the constraint and its column are not in the previous release
ALTER TABLE "projects" DROP CONSTRAINT "projects_key_prefix_check";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "imported_digest" "bytea";--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
CREATE UNIQUE INDEX "api_keys_imported_digest_key" ON "api_keys" USING btree ("project_id","imported_digest") WHERE "api_keys"."imported_digest" is not null;--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_imported_digest_check" CHECK (octet_length("api_keys"."imported_digest") = 32);--> statement-breakpoint
-- expand: the previous release leaves the column out
ALTER TABLE "projects" ADD CONSTRAINT "projects_key_prefix_check" CHECK ("projects"."key_prefix" ~ '^(?:ceiba_|(?![a-z0-9_]*(?:ceiba|whsec)_)[a-z][a-z0-9_]{0,15}_)$');
