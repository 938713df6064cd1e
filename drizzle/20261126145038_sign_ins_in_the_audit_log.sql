ALTER TABLE "audit_log" ADD COLUMN "hour" timestamp with time zone;--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
CREATE UNIQUE INDEX "audit_log_hour_key" ON "audit_log" USING btree ("target_id","action","hour") WHERE "audit_log"."hour" is not null;