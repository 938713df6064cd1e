CREATE TABLE "key_creations" (
	"project_id" uuid NOT NULL,
	"idempotency_key" text NOT NULL,
	"body_digest" "bytea" NOT NULL,
	"api_key_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "key_creations_pkey" PRIMARY KEY("project_id","idempotency_key"),
	CONSTRAINT "key_creations_body_digest_check" CHECK (octet_length("key_creations"."body_digest") = 32),
	CONSTRAINT "key_creations_idempotency_key_check" CHECK (char_length("key_creations"."idempotency_key") <= 255)
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_digest" "bytea";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_prefix" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "is_imported" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "metadata" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "decisions" ADD COLUMN "by_previous_secret" boolean;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "key_prefix" text DEFAULT 'ceiba_' NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "accepts_imported_keys" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "key_creations" ADD CONSTRAINT "key_creations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_creations" ADD CONSTRAINT "key_creations_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "key_creations_created_at_idx" ON "key_creations" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "api_keys_imported_idx" ON "api_keys" USING btree ("project_id") WHERE "api_keys"."is_imported";--> statement-breakpoint
CREATE INDEX "api_keys_metadata_idx" ON "api_keys" USING gin ("metadata" jsonb_path_ops) WHERE "api_keys"."metadata" <> '{}';--> statement-breakpoint
CREATE INDEX "api_keys_previous_prefix_idx" ON "api_keys" USING btree ("project_id","previous_prefix" collate "C") WHERE "api_keys"."previous_prefix" is not null;--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_previous_digest_key" UNIQUE("project_id","previous_digest");--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_previous_check" CHECK (num_nulls("api_keys"."previous_digest", "api_keys"."previous_prefix", "api_keys"."previous_expires_at") in (0, 3));--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_previous_digest_check" CHECK (octet_length("api_keys"."previous_digest") = 32);--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_previous_expires_at_check" CHECK (isfinite("api_keys"."previous_expires_at"));--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_metadata_check" CHECK (jsonb_typeof("api_keys"."metadata") = 'object' and octet_length("api_keys"."metadata"::text) <= 8192);--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "projects" ADD CONSTRAINT "projects_key_prefix_check" CHECK ("projects"."key_prefix" ~ '^[a-z][a-z0-9_]{0,15}_$' and not ("projects"."key_prefix" in ('ceiba_secret_', 'ceiba_invite_', 'ceiba_reset_', 'ceiba_mail_', 'ceiba_setup_', 'ceiba_token_')));
