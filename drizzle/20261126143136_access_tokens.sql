CREATE TABLE "access_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"token_prefix" text NOT NULL,
	"token_digest" "bytea" NOT NULL,
	"access" text NOT NULL,
	"project_ids" uuid[],
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "access_tokens_token_digest_key" UNIQUE("token_digest"),
	CONSTRAINT "access_tokens_token_digest_check" CHECK (octet_length("access_tokens"."token_digest") = 32),
	CONSTRAINT "access_tokens_access_check" CHECK ("access_tokens"."access" in ('read', 'write')),
	CONSTRAINT "access_tokens_expires_at_check" CHECK (isfinite("access_tokens"."expires_at")),
	CONSTRAINT "access_tokens_project_ids_check" CHECK (cardinality("access_tokens"."project_ids") between 1 and 100)
);
--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "actor_token_id" uuid;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "actor_token_name" text;--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_tokens_user_id_idx" ON "access_tokens" USING btree ("user_id");