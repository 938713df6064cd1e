DROP INDEX "api_keys_active_idx";--> statement-breakpoint
CREATE INDEX "api_keys_active_idx" ON "api_keys" USING btree ("project_id","expires_at") WHERE "api_keys"."status" = 'active';