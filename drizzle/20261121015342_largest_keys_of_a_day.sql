-- Totals that were made without ranks are made again.
UPDATE "usage_rolled_days" SET "rolled_at" = NULL;--> statement-breakpoint
DELETE FROM "usage_key_days";--> statement-breakpoint
ALTER TABLE "usage_key_days" ADD COLUMN "rank" integer NOT NULL;--> statement-breakpoint
CREATE INDEX "usage_key_days_largest_idx" ON "usage_key_days" USING btree ("project_id","day") WHERE "usage_key_days"."rank" <= 50;