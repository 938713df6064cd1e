ALTER TABLE "settings" ADD COLUMN "installation_id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "settings" ADD COLUMN "setup_token_digest" "bytea";--> statement-breakpoint
-- expand: the previous release does not write this column.
ALTER TABLE "settings" ADD CONSTRAINT "settings_setup_token_digest_check" CHECK (octet_length("settings"."setup_token_digest") = 32);
