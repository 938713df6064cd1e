CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"display_name" text NOT NULL,
	"key_prefix" text NOT NULL,
	"key_digest" "bytea" NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"archived_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"rate_limit_per_minute" integer,
	"monthly_quota" integer,
	CONSTRAINT "api_keys_project_id_key_digest_key" UNIQUE("project_id","key_digest"),
	CONSTRAINT "api_keys_key_digest_check" CHECK (octet_length("api_keys"."key_digest") = 32),
	CONSTRAINT "api_keys_status_check" CHECK ("api_keys"."status" in ('active', 'revoked', 'archived')),
	CONSTRAINT "api_keys_expires_at_check" CHECK (isfinite("api_keys"."expires_at")),
	CONSTRAINT "api_keys_rate_limit_per_minute_check" CHECK ("api_keys"."rate_limit_per_minute" >= 0),
	CONSTRAINT "api_keys_monthly_quota_check" CHECK ("api_keys"."monthly_quota" >= 0)
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"owner_id" uuid,
	"project_id" uuid,
	"actor_kind" text NOT NULL,
	"actor_id" uuid,
	"actor_label" text NOT NULL,
	"action" text NOT NULL,
	"target_kind" text NOT NULL,
	"target_id" text NOT NULL,
	"target_label" text,
	"client_address" text,
	"request_id" text,
	"before" jsonb,
	"after" jsonb
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"active_key_cap" integer NOT NULL,
	"rate_limit_per_minute" integer NOT NULL,
	"monthly_quota" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "plans_name_key" UNIQUE("name"),
	CONSTRAINT "plans_active_key_cap_check" CHECK ("plans"."active_key_cap" >= 0),
	CONSTRAINT "plans_rate_limit_per_minute_check" CHECK ("plans"."rate_limit_per_minute" >= 0),
	CONSTRAINT "plans_monthly_quota_check" CHECK ("plans"."monthly_quota" >= 0)
);
--> statement-breakpoint
CREATE TABLE "policies" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"method" text NOT NULL,
	"path_pattern" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "policies_project_id_method_path_pattern_key" UNIQUE("project_id","method","path_pattern")
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"secret_digest" "bytea" NOT NULL,
	"secret_created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"previous_secret_digest" "bytea",
	"previous_secret_expires_at" timestamp with time zone,
	"default_key_rate_limit_per_minute" integer,
	"policy_revision" uuid DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "projects_owner_id_name_key" UNIQUE("owner_id","name"),
	CONSTRAINT "projects_secret_digest_check" CHECK (octet_length("projects"."secret_digest") = 32),
	CONSTRAINT "projects_previous_secret_digest_check" CHECK (octet_length("projects"."previous_secret_digest") = 32),
	CONSTRAINT "projects_previous_secret_expires_at_check" CHECK (isfinite("projects"."previous_secret_expires_at")),
	CONSTRAINT "projects_default_key_rate_check" CHECK ("projects"."default_key_rate_limit_per_minute" >= 0)
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"plan_id" uuid NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"current_period_end" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscriptions_project_id_key" UNIQUE("project_id"),
	CONSTRAINT "subscriptions_status_check" CHECK ("subscriptions"."status" in ('active', 'trialing', 'past_due', 'canceled')),
	CONSTRAINT "subscriptions_current_period_end_check" CHECK (isfinite("subscriptions"."current_period_end"))
);
--> statement-breakpoint
CREATE TABLE "usage_hours" (
	"project_id" uuid NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"api_key_id" uuid NOT NULL,
	"policy_id" uuid NOT NULL,
	"outcome" text NOT NULL,
	"incarnation" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "usage_hours_pkey" PRIMARY KEY("project_id","hour","api_key_id","policy_id","outcome","incarnation"),
	CONSTRAINT "usage_hours_count_check" CHECK ("usage_hours"."count" >= 0),
	CONSTRAINT "usage_hours_outcome_check" CHECK ("usage_hours"."outcome" in ('allowed', 'missing_api_key', 'invalid_api_key', 'revoked_api_key', 'archived_api_key', 'expired_api_key', 'policy_no_match', 'inactive_subscription', 'quota_exceeded', 'rate_limited'))
);
--> statement-breakpoint
CREATE TABLE "usage_months" (
	"project_id" uuid NOT NULL,
	"month" integer NOT NULL,
	"scope" text NOT NULL,
	"incarnation" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "usage_months_pkey" PRIMARY KEY("project_id","month","scope","incarnation"),
	CONSTRAINT "usage_months_count_check" CHECK ("usage_months"."count" >= 0)
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"password_hash" text,
	"is_administrator" boolean DEFAULT false NOT NULL,
	"session_version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_project_id_created_at_idx" ON "api_keys" USING btree ("project_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "api_keys_active_idx" ON "api_keys" USING btree ("project_id") WHERE "api_keys"."status" = 'active';--> statement-breakpoint
CREATE INDEX "audit_log_project_id_id_idx" ON "audit_log" USING btree ("project_id","id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "audit_log_owner_id_id_idx" ON "audit_log" USING btree ("owner_id","id" DESC NULLS FIRST);--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree (lower("email"));