ALTER TABLE "api_keys" ADD COLUMN "disabled_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "note" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_log_project_id_target_id_at_idx" ON "audit_log" USING btree ("project_id","target_id","at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_disabled_at_check" CHECK (isfinite("api_keys"."disabled_at"));--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_note_check" CHECK (char_length("api_keys"."note") <= 500);