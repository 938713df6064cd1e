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
CREATE TABLE "alert_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" uuid NOT NULL,
	"destination_id" uuid NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_consents" (
	"project_id" uuid NOT NULL,
	"address_digest" "bytea" NOT NULL,
	"answer" text NOT NULL,
	"answered_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_consents_pkey" PRIMARY KEY("project_id","address_digest"),
	CONSTRAINT "alert_consents_answer_check" CHECK ("alert_consents"."answer" in ('confirmed', 'unsubscribed'))
);
--> statement-breakpoint
CREATE TABLE "alert_deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"event_id" uuid NOT NULL,
	"destination_id" uuid NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"claimed_until" timestamp with time zone,
	"last_attempt_at" timestamp with time zone,
	"last_status" integer,
	"last_error" text,
	CONSTRAINT "alert_deliveries_event_id_destination_id_key" UNIQUE("event_id","destination_id"),
	CONSTRAINT "alert_deliveries_status_check" CHECK ("alert_deliveries"."status" in ('pending', 'delivered', 'failed')),
	CONSTRAINT "alert_deliveries_attempts_check" CHECK ("alert_deliveries"."attempts" >= 0)
);
--> statement-breakpoint
CREATE TABLE "alert_destinations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"address" text NOT NULL,
	"description" text NOT NULL,
	"event_types" text[] NOT NULL,
	"signing_secret" "bytea",
	"previous_secret" "bytea",
	"previous_secret_expires_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"disabled_at" timestamp with time zone,
	"disabled_reason" text,
	"failing_since" timestamp with time zone,
	CONSTRAINT "alert_destinations_kind_check" CHECK ("alert_destinations"."kind" in ('webhook', 'mail')),
	CONSTRAINT "alert_destinations_signing_secret_check" CHECK (("alert_destinations"."kind" = 'webhook') = ("alert_destinations"."signing_secret" is not null)),
	CONSTRAINT "alert_destinations_disabled_reason_check" CHECK ("alert_destinations"."disabled_reason" in ('user', 'gone', 'failing')),
	CONSTRAINT "alert_destinations_disabled_at_check" CHECK (("alert_destinations"."disabled_at" is null) = ("alert_destinations"."disabled_reason" is null))
);
--> statement-breakpoint
CREATE TABLE "alert_events" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"data" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_events_project_id_type_subject_key" UNIQUE("project_id","type","subject")
);
--> statement-breakpoint
CREATE TABLE "alert_mails" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_mails_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"token_digest" "bytea" NOT NULL,
	"purpose" text NOT NULL,
	"owner_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"address_digest" "bytea" NOT NULL,
	"sent_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_mails_token_digest_key" UNIQUE("token_digest"),
	CONSTRAINT "alert_mails_purpose_check" CHECK ("alert_mails"."purpose" in ('alert', 'confirmation'))
);
--> statement-breakpoint
CREATE TABLE "alert_refusals" (
	"address_digest" "bytea" PRIMARY KEY NOT NULL,
	"refused_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
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
	"monthly_quota" bigint,
	"disabled_at" timestamp with time zone,
	"note" text DEFAULT '' NOT NULL,
	"customer_id" uuid,
	"scopes" text[],
	"daily_quota" bigint,
	"previous_digest" "bytea",
	"previous_prefix" text,
	"previous_expires_at" timestamp with time zone,
	"previous_last_used_at" timestamp with time zone,
	"is_imported" boolean DEFAULT false NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"imported_digest" "bytea",
	CONSTRAINT "api_keys_project_id_key_digest_key" UNIQUE("project_id","key_digest"),
	CONSTRAINT "api_keys_project_id_previous_digest_key" UNIQUE("project_id","previous_digest"),
	CONSTRAINT "api_keys_previous_check" CHECK (num_nulls("api_keys"."previous_digest", "api_keys"."previous_prefix", "api_keys"."previous_expires_at") in (0, 3)),
	CONSTRAINT "api_keys_previous_digest_check" CHECK (octet_length("api_keys"."previous_digest") = 32),
	CONSTRAINT "api_keys_previous_expires_at_check" CHECK (isfinite("api_keys"."previous_expires_at")),
	CONSTRAINT "api_keys_imported_digest_check" CHECK (octet_length("api_keys"."imported_digest") = 32),
	CONSTRAINT "api_keys_metadata_check" CHECK (jsonb_typeof("api_keys"."metadata") = 'object' and octet_length("api_keys"."metadata"::text) <= 8192),
	CONSTRAINT "api_keys_scopes_check" CHECK (cardinality("api_keys"."scopes") <= 64 and array_position("api_keys"."scopes", null) is null),
	CONSTRAINT "api_keys_key_digest_check" CHECK (octet_length("api_keys"."key_digest") = 32),
	CONSTRAINT "api_keys_status_check" CHECK ("api_keys"."status" in ('active', 'revoked', 'archived')),
	CONSTRAINT "api_keys_expires_at_check" CHECK (isfinite("api_keys"."expires_at")),
	CONSTRAINT "api_keys_disabled_at_check" CHECK (isfinite("api_keys"."disabled_at")),
	CONSTRAINT "api_keys_note_check" CHECK (char_length("api_keys"."note") <= 500),
	CONSTRAINT "api_keys_rate_limit_per_minute_check" CHECK ("api_keys"."rate_limit_per_minute" between 0 and 1000000000000),
	CONSTRAINT "api_keys_daily_quota_check" CHECK ("api_keys"."daily_quota" between 0 and 1000000000000),
	CONSTRAINT "api_keys_monthly_quota_check" CHECK ("api_keys"."monthly_quota" between 0 and 1000000000000)
);
--> statement-breakpoint
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
	"after" jsonb,
	"actor_token_id" uuid,
	"actor_token_name" text,
	"hour" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "audit_outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"stream" text NOT NULL,
	"audit_id" bigint NOT NULL,
	"delivery_id" uuid DEFAULT gen_random_uuid() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_streams" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"held_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "customers" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"external_id" text collate "C" NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"suspended_at" timestamp with time zone,
	"plan_id" uuid,
	"subscription_status" text,
	"current_period_end" timestamp with time zone,
	"billing_day" smallint DEFAULT 1 NOT NULL,
	"rate_limit_per_minute" integer,
	"daily_quota" bigint,
	"monthly_quota" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "customers_project_id_external_id_key" UNIQUE("project_id","external_id"),
	CONSTRAINT "customers_project_id_id_key" UNIQUE("project_id","id"),
	CONSTRAINT "customers_external_id_check" CHECK (octet_length("customers"."external_id") between 1 and 255),
	CONSTRAINT "customers_metadata_check" CHECK (jsonb_typeof("customers"."metadata") = 'object' and octet_length("customers"."metadata"::text) <= 8192),
	CONSTRAINT "customers_plan_check" CHECK (("customers"."plan_id" is null) = ("customers"."subscription_status" is null)
        and ("customers"."plan_id" is not null or "customers"."current_period_end" is null)),
	CONSTRAINT "customers_subscription_status_check" CHECK ("customers"."subscription_status" in ('active', 'trialing', 'past_due', 'canceled')),
	CONSTRAINT "customers_current_period_end_check" CHECK (isfinite("customers"."current_period_end")),
	CONSTRAINT "customers_suspended_at_check" CHECK (isfinite("customers"."suspended_at")),
	CONSTRAINT "customers_billing_day_check" CHECK ("customers"."billing_day" between 1 and 28),
	CONSTRAINT "customers_rate_limit_per_minute_check" CHECK ("customers"."rate_limit_per_minute" between 0 and 1000000000000),
	CONSTRAINT "customers_daily_quota_check" CHECK ("customers"."daily_quota" between 0 and 1000000000000),
	CONSTRAINT "customers_monthly_quota_check" CHECK ("customers"."monthly_quota" between 0 and 1000000000000)
);
--> statement-breakpoint
CREATE TABLE "customer_plans" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"active_key_cap" integer,
	"rate_limit_per_minute" integer,
	"daily_quota" bigint,
	"monthly_quota" bigint,
	"scopes" text[],
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "customer_plans_project_id_name_key" UNIQUE("project_id","name"),
	CONSTRAINT "customer_plans_project_id_id_key" UNIQUE("project_id","id"),
	CONSTRAINT "customer_plans_active_key_cap_check" CHECK ("customer_plans"."active_key_cap" >= 0),
	CONSTRAINT "customer_plans_scopes_check" CHECK (cardinality("customer_plans"."scopes") <= 64 and array_position("customer_plans"."scopes", null) is null),
	CONSTRAINT "customer_plans_rate_limit_per_minute_check" CHECK ("customer_plans"."rate_limit_per_minute" between 0 and 1000000000000),
	CONSTRAINT "customer_plans_daily_quota_check" CHECK ("customer_plans"."daily_quota" between 0 and 1000000000000),
	CONSTRAINT "customer_plans_monthly_quota_check" CHECK ("customer_plans"."monthly_quota" between 0 and 1000000000000)
);
--> statement-breakpoint
CREATE TABLE "decision_failures" (
	"project_id" uuid NOT NULL,
	"minute" timestamp with time zone NOT NULL,
	"cause" text NOT NULL,
	"incarnation" text NOT NULL,
	"failed" bigint NOT NULL,
	CONSTRAINT "decision_failures_pkey" PRIMARY KEY("project_id","minute","cause","incarnation"),
	CONSTRAINT "decision_failures_failed_check" CHECK ("decision_failures"."failed" >= 0)
);
--> statement-breakpoint
CREATE TABLE "decision_gaps" (
	"project_id" uuid NOT NULL,
	"minute" timestamp with time zone NOT NULL,
	"outcome" text NOT NULL,
	"incarnation" text NOT NULL,
	"left_out" bigint NOT NULL,
	CONSTRAINT "decision_gaps_pkey" PRIMARY KEY("project_id","minute","outcome","incarnation"),
	CONSTRAINT "decision_gaps_outcome_check" CHECK ("decision_gaps"."outcome" in ('allowed', 'missing_api_key', 'invalid_api_key', 'revoked_api_key', 'archived_api_key', 'expired_api_key', 'policy_no_match', 'inactive_subscription', 'quota_exceeded', 'rate_limited')),
	CONSTRAINT "decision_gaps_left_out_check" CHECK ("decision_gaps"."left_out" >= 0)
);
--> statement-breakpoint
CREATE TABLE "decisions" (
	"project_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"decision_id" uuid NOT NULL,
	"request_id" text,
	"method" text NOT NULL,
	"path" text collate "C",
	"outcome" text NOT NULL,
	"api_key_id" uuid,
	"key_prefix" text,
	"policy_id" uuid,
	"limits" jsonb,
	"latency_ms" integer NOT NULL,
	"limit_owner" text,
	"denial_detail" text,
	"customer_id" uuid,
	"limit_window" text,
	"limit_value" bigint,
	"by_previous_secret" boolean,
	CONSTRAINT "decisions_pkey" PRIMARY KEY("project_id","at","decision_id"),
	CONSTRAINT "decisions_outcome_check" CHECK ("decisions"."outcome" in ('allowed', 'missing_api_key', 'invalid_api_key', 'revoked_api_key', 'archived_api_key', 'expired_api_key', 'policy_no_match', 'inactive_subscription', 'quota_exceeded', 'rate_limited')),
	CONSTRAINT "decisions_limit_owner_check" CHECK ("decisions"."limit_owner" in ('plan', 'customer_plan', 'customer', 'api_key', 'project_default')),
	CONSTRAINT "decisions_limit_window_check" CHECK ("decisions"."limit_window" in ('minute', 'day', 'month')),
	CONSTRAINT "decisions_denial_detail_check" CHECK ("decisions"."denial_detail" in ('expired', 'disabled', 'scope', 'plan_scope', 'past_due', 'canceled', 'period_ended', 'no_subscription', 'customer_suspended', 'customer_past_due', 'customer_canceled', 'customer_period_ended')),
	CONSTRAINT "decisions_path_check" CHECK (octet_length("decisions"."path") <= 2048)
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "project_invitations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"role" text NOT NULL,
	"label" text NOT NULL,
	"token_digest" "bytea" NOT NULL,
	"invited_by" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "project_invitations_token_digest_key" UNIQUE("token_digest"),
	CONSTRAINT "project_invitations_role_check" CHECK ("project_invitations"."role" in ('viewer', 'developer')),
	CONSTRAINT "project_invitations_token_digest_check" CHECK (octet_length("project_invitations"."token_digest") = 32),
	CONSTRAINT "project_invitations_expires_at_check" CHECK (isfinite("project_invitations"."expires_at"))
);
--> statement-breakpoint
CREATE TABLE "project_members" (
	"project_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "project_members_pkey" PRIMARY KEY("project_id","user_id"),
	CONSTRAINT "project_members_role_check" CHECK ("project_members"."role" in ('viewer', 'developer'))
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"active_key_cap" integer NOT NULL,
	"rate_limit_per_minute" integer NOT NULL,
	"monthly_quota" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"daily_quota" bigint,
	CONSTRAINT "plans_name_key" UNIQUE("name"),
	CONSTRAINT "plans_active_key_cap_check" CHECK ("plans"."active_key_cap" >= 0),
	CONSTRAINT "plans_rate_limit_per_minute_check" CHECK ("plans"."rate_limit_per_minute" between 0 and 1000000000000),
	CONSTRAINT "plans_daily_quota_check" CHECK ("plans"."daily_quota" between 0 and 1000000000000),
	CONSTRAINT "plans_monthly_quota_check" CHECK ("plans"."monthly_quota" between 0 and 1000000000000)
);
--> statement-breakpoint
CREATE TABLE "decision_revisions" (
	"project_id" uuid NOT NULL,
	"r" bigint DEFAULT uuid_hash_extended(gen_random_uuid(), 0) NOT NULL,
	CONSTRAINT "decision_revisions_pkey" PRIMARY KEY("project_id","r")
);
--> statement-breakpoint
CREATE TABLE "policies" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"method" text NOT NULL,
	"path_pattern" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"scopes" text[],
	"cost" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "policies_project_id_method_path_pattern_key" UNIQUE("project_id","method","path_pattern"),
	CONSTRAINT "policies_scopes_check" CHECK (cardinality("policies"."scopes") <= 64 and array_position("policies"."scopes", null) is null),
	CONSTRAINT "policies_cost_check" CHECK ("policies"."cost" between 0 and 1000000)
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
	"logged_allows_percent" integer DEFAULT 1 NOT NULL,
	"logs_paths" boolean DEFAULT true NOT NULL,
	"key_prefix" text DEFAULT 'ceiba_' NOT NULL,
	"accepts_imported_keys" boolean DEFAULT false NOT NULL,
	"first_allowed_at" timestamp with time zone,
	"previous_secret_last_used_at" timestamp with time zone,
	CONSTRAINT "projects_owner_id_name_key" UNIQUE("owner_id","name"),
	CONSTRAINT "projects_secret_digest_check" CHECK (octet_length("projects"."secret_digest") = 32),
	CONSTRAINT "projects_previous_secret_digest_check" CHECK (octet_length("projects"."previous_secret_digest") = 32),
	CONSTRAINT "projects_previous_secret_expires_at_check" CHECK (isfinite("projects"."previous_secret_expires_at")),
	CONSTRAINT "projects_key_prefix_check" CHECK ("projects"."key_prefix" ~ '^(?:ceiba_|(?![a-z0-9_]*(?:ceiba|whsec)_)[a-z][a-z0-9_]{0,15}_)$'),
	CONSTRAINT "projects_default_key_rate_check" CHECK ("projects"."default_key_rate_limit_per_minute" >= 0),
	CONSTRAINT "projects_logged_allows_percent_check" CHECK ("projects"."logged_allows_percent" between 0 and 100)
);
--> statement-breakpoint
CREATE TABLE "runtime_leases" (
	"id" text PRIMARY KEY NOT NULL,
	"renewed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"usage_retention_days" integer,
	"audit_retention_days" integer,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"decision_retention_days" integer DEFAULT 7 NOT NULL,
	"installation_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"setup_token_digest" "bytea",
	"requires_second_factor" boolean DEFAULT false NOT NULL,
	CONSTRAINT "settings_setup_token_digest_check" CHECK (octet_length("settings"."setup_token_digest") = 32),
	CONSTRAINT "settings_one_row_check" CHECK ("settings"."id"),
	CONSTRAINT "settings_usage_retention_days_check" CHECK ("settings"."usage_retention_days" between 31 and 3650),
	CONSTRAINT "settings_audit_retention_days_check" CHECK ("settings"."audit_retention_days" between 31 and 3650),
	CONSTRAINT "settings_decision_retention_days_check" CHECK ("settings"."decision_retention_days" between 1 and 90)
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
CREATE TABLE "usage_cost_hours" (
	"project_id" uuid NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"api_key_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"incarnation" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "usage_cost_hours_pkey" PRIMARY KEY("project_id","hour","api_key_id","kind","incarnation"),
	CONSTRAINT "usage_cost_hours_count_check" CHECK ("usage_cost_hours"."count" >= 0),
	CONSTRAINT "usage_cost_hours_kind_check" CHECK ("usage_cost_hours"."kind" in ('surplus', 'free'))
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
CREATE TABLE "usage_key_days" (
	"project_id" uuid NOT NULL,
	"day" date NOT NULL,
	"api_key_id" uuid NOT NULL,
	"allowed" bigint NOT NULL,
	"denied" bigint NOT NULL,
	"rank" integer NOT NULL,
	CONSTRAINT "usage_key_days_pkey" PRIMARY KEY("project_id","day","api_key_id")
);
--> statement-breakpoint
CREATE TABLE "usage_months" (
	"project_id" uuid NOT NULL,
	"month" integer NOT NULL,
	"scope" text NOT NULL,
	"incarnation" text NOT NULL,
	"count" bigint NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "usage_months_pkey" PRIMARY KEY("project_id","month","scope","incarnation"),
	CONSTRAINT "usage_months_count_check" CHECK ("usage_months"."count" >= 0)
);
--> statement-breakpoint
CREATE TABLE "usage_outcome_days" (
	"project_id" uuid NOT NULL,
	"day" date NOT NULL,
	"outcome" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "usage_outcome_days_pkey" PRIMARY KEY("project_id","day","outcome")
);
--> statement-breakpoint
CREATE TABLE "usage_outcome_hours" (
	"project_id" uuid NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"outcome" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "usage_outcome_hours_pkey" PRIMARY KEY("project_id","hour","outcome")
);
--> statement-breakpoint
CREATE TABLE "usage_policy_days" (
	"project_id" uuid NOT NULL,
	"day" date NOT NULL,
	"policy_id" uuid NOT NULL,
	"allowed" bigint NOT NULL,
	"denied" bigint NOT NULL,
	CONSTRAINT "usage_policy_days_pkey" PRIMARY KEY("project_id","day","policy_id")
);
--> statement-breakpoint
CREATE TABLE "usage_quota_days" (
	"project_id" uuid NOT NULL,
	"day" date NOT NULL,
	"scope" text NOT NULL,
	"incarnation" text NOT NULL,
	"count" bigint NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "usage_quota_days_pkey" PRIMARY KEY("project_id","day","scope","incarnation"),
	CONSTRAINT "usage_quota_days_count_check" CHECK ("usage_quota_days"."count" >= 0)
);
--> statement-breakpoint
CREATE TABLE "usage_rolled_days" (
	"project_id" uuid NOT NULL,
	"day" date NOT NULL,
	"rolled_at" timestamp with time zone,
	"late_writes" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_rolled_days_pkey" PRIMARY KEY("project_id","day")
);
--> statement-breakpoint
CREATE TABLE "authenticators" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"confirmed_at" timestamp with time zone,
	"last_step" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identities" (
	"provider" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "identities_pkey" PRIMARY KEY("provider","subject")
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"name" text NOT NULL,
	"is_backed_up" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "passkeys_credential_id_key" UNIQUE("credential_id"),
	CONSTRAINT "passkeys_counter_check" CHECK ("passkeys"."counter" >= 0)
);
--> statement-breakpoint
CREATE TABLE "password_resets" (
	"user_id" uuid NOT NULL,
	"token_digest" "bytea" NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"sent_to" text DEFAULT 'administrator' NOT NULL,
	"created_by" uuid,
	CONSTRAINT "password_resets_pkey" PRIMARY KEY("user_id","sent_to"),
	CONSTRAINT "password_resets_token_digest_key" UNIQUE("token_digest"),
	CONSTRAINT "password_resets_sent_to_check" CHECK ("password_resets"."sent_to" in ('administrator', 'mail')),
	CONSTRAINT "password_resets_token_digest_check" CHECK (octet_length("password_resets"."token_digest") = 32),
	CONSTRAINT "password_resets_expires_at_check" CHECK (isfinite("password_resets"."expires_at"))
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" uuid NOT NULL,
	"code_digest" "bytea" NOT NULL,
	CONSTRAINT "recovery_codes_pkey" PRIMARY KEY("user_id","code_digest"),
	CONSTRAINT "recovery_codes_code_digest_check" CHECK (octet_length("recovery_codes"."code_digest") = 32)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"session_version" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"client_address" text,
	"user_agent" text,
	"last_seen_at" timestamp with time zone,
	CONSTRAINT "sessions_expires_at_check" CHECK (isfinite("sessions"."expires_at"))
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempts" (
	"scope" text NOT NULL,
	"subject" text NOT NULL,
	"count" integer NOT NULL,
	"window_ends_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sign_in_attempts_pkey" PRIMARY KEY("scope","subject"),
	CONSTRAINT "sign_in_attempts_window_ends_at_check" CHECK (isfinite("sign_in_attempts"."window_ends_at"))
);
--> statement-breakpoint
CREATE TABLE "sign_in_challenges" (
	"token_digest" "bytea" PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"user_id" uuid,
	"session_version" integer,
	"challenge" text,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sign_in_challenges_token_digest_check" CHECK (octet_length("sign_in_challenges"."token_digest") = 32),
	CONSTRAINT "sign_in_challenges_purpose_check" CHECK ("sign_in_challenges"."purpose" in ('second_factor', 'sign_in_passkey', 'add_passkey')),
	CONSTRAINT "sign_in_challenges_expires_at_check" CHECK (isfinite("sign_in_challenges"."expires_at"))
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"password_hash" text,
	"is_administrator" boolean DEFAULT false NOT NULL,
	"session_version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"time_zone" text
);
--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "alert_consents" ADD CONSTRAINT "alert_consents_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_event_id_alert_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."alert_events"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_destination_id_alert_destinations_id_fk" FOREIGN KEY ("destination_id") REFERENCES "public"."alert_destinations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "alert_destinations" ADD CONSTRAINT "alert_destinations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "alert_events" ADD CONSTRAINT "alert_events_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_customer_fkey" FOREIGN KEY ("project_id","customer_id") REFERENCES "public"."customers"("project_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "key_creations" ADD CONSTRAINT "key_creations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "key_creations" ADD CONSTRAINT "key_creations_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_plan_fkey" FOREIGN KEY ("project_id","plan_id") REFERENCES "public"."customer_plans"("project_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "customer_plans" ADD CONSTRAINT "customer_plans_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "project_invitations" ADD CONSTRAINT "project_invitations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "project_invitations" ADD CONSTRAINT "project_invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "project_members" ADD CONSTRAINT "project_members_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "project_members" ADD CONSTRAINT "project_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "decision_revisions" ADD CONSTRAINT "decision_revisions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "authenticators" ADD CONSTRAINT "authenticators_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sign_in_challenges" ADD CONSTRAINT "sign_in_challenges_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "access_tokens_user_id_idx" ON "access_tokens" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "alert_attempts_ends_at_idx" ON "alert_attempts" USING btree ("ends_at");
--> statement-breakpoint
CREATE INDEX "alert_deliveries_destination_id_idx" ON "alert_deliveries" USING btree ("destination_id","id");
--> statement-breakpoint
CREATE INDEX "alert_deliveries_due_idx" ON "alert_deliveries" USING btree ("destination_id","next_attempt_at") WHERE "alert_deliveries"."status" = 'pending';
--> statement-breakpoint
CREATE INDEX "alert_deliveries_claimed_idx" ON "alert_deliveries" USING btree ("destination_id") WHERE "alert_deliveries"."claimed_until" is not null;
--> statement-breakpoint
CREATE INDEX "alert_deliveries_last_attempt_at_idx" ON "alert_deliveries" USING btree ("destination_id","last_attempt_at");
--> statement-breakpoint
CREATE INDEX "alert_destinations_project_id_idx" ON "alert_destinations" USING btree ("project_id");
--> statement-breakpoint
CREATE INDEX "alert_events_created_at_idx" ON "alert_events" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "alert_mails_address_digest_idx" ON "alert_mails" USING btree ("address_digest","sent_at");
--> statement-breakpoint
CREATE INDEX "alert_mails_owner_id_idx" ON "alert_mails" USING btree ("owner_id","sent_at");
--> statement-breakpoint
CREATE INDEX "alert_mails_sent_at_idx" ON "alert_mails" USING btree ("sent_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_imported_digest_key" ON "api_keys" USING btree ("project_id","imported_digest") WHERE "api_keys"."imported_digest" is not null;
--> statement-breakpoint
CREATE INDEX "api_keys_imported_idx" ON "api_keys" USING btree ("project_id") WHERE "api_keys"."is_imported";
--> statement-breakpoint
CREATE INDEX "api_keys_metadata_idx" ON "api_keys" USING gin ("metadata" jsonb_path_ops) WHERE "api_keys"."metadata" <> '{}';
--> statement-breakpoint
CREATE INDEX "api_keys_project_id_created_at_idx" ON "api_keys" USING btree ("project_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);
--> statement-breakpoint
CREATE INDEX "api_keys_active_idx" ON "api_keys" USING btree ("project_id","expires_at") WHERE "api_keys"."status" = 'active';
--> statement-breakpoint
CREATE INDEX "api_keys_ended_idx" ON "api_keys" USING btree ("project_id","status","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE "api_keys"."status" <> 'active';
--> statement-breakpoint
CREATE INDEX "api_keys_disabled_idx" ON "api_keys" USING btree ("project_id") WHERE "api_keys"."disabled_at" is not null;
--> statement-breakpoint
CREATE INDEX "api_keys_name_idx" ON "api_keys" USING btree ("project_id",lower("display_name"),"id");
--> statement-breakpoint
CREATE INDEX "api_keys_expiry_idx" ON "api_keys" USING btree ("project_id",coalesce("expires_at", 'infinity'::timestamptz),"id");
--> statement-breakpoint
CREATE INDEX "api_keys_prefix_idx" ON "api_keys" USING btree ("project_id","key_prefix" collate "C");
--> statement-breakpoint
CREATE INDEX "api_keys_previous_prefix_idx" ON "api_keys" USING btree ("project_id","previous_prefix" collate "C") WHERE "api_keys"."previous_prefix" is not null;
--> statement-breakpoint
CREATE INDEX "api_keys_customer_idx" ON "api_keys" USING btree ("project_id","customer_id") WHERE "api_keys"."customer_id" is not null;
--> statement-breakpoint
CREATE INDEX "key_creations_created_at_idx" ON "key_creations" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "audit_log_project_id_at_idx" ON "audit_log" USING btree ("project_id","at" DESC NULLS FIRST,"id" DESC NULLS FIRST);
--> statement-breakpoint
CREATE INDEX "audit_log_owner_id_at_idx" ON "audit_log" USING btree ("owner_id","at" DESC NULLS FIRST,"id" DESC NULLS FIRST);
--> statement-breakpoint
CREATE INDEX "audit_log_project_id_target_id_at_idx" ON "audit_log" USING btree ("project_id","target_id","at" DESC NULLS FIRST,"id" DESC NULLS FIRST);
--> statement-breakpoint
CREATE INDEX "audit_log_at_idx" ON "audit_log" USING btree ("at" DESC NULLS FIRST,"id" DESC NULLS FIRST);
--> statement-breakpoint
CREATE UNIQUE INDEX "audit_log_hour_key" ON "audit_log" USING btree ("target_id","action","hour") WHERE "audit_log"."hour" is not null;
--> statement-breakpoint
CREATE INDEX "audit_outbox_stream_id_idx" ON "audit_outbox" USING btree ("stream","id");
--> statement-breakpoint
CREATE INDEX "customers_project_id_created_at_idx" ON "customers" USING btree ("project_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);
--> statement-breakpoint
CREATE INDEX "customers_suspended_idx" ON "customers" USING btree ("project_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE "customers"."suspended_at" is not null;
--> statement-breakpoint
CREATE INDEX "customers_plan_idx" ON "customers" USING btree ("project_id","plan_id");
--> statement-breakpoint
CREATE INDEX "decision_failures_minute_idx" ON "decision_failures" USING btree ("minute");
--> statement-breakpoint
CREATE INDEX "decisions_denied_idx" ON "decisions" USING btree ("project_id","at","decision_id") WHERE "decisions"."outcome" <> 'allowed';
--> statement-breakpoint
CREATE INDEX "decisions_outcome_idx" ON "decisions" USING btree ("project_id","outcome","at","decision_id");
--> statement-breakpoint
CREATE INDEX "decisions_method_idx" ON "decisions" USING btree ("project_id","method","at","decision_id");
--> statement-breakpoint
CREATE INDEX "decisions_api_key_id_idx" ON "decisions" USING btree ("project_id","api_key_id","at","decision_id") WHERE "decisions"."api_key_id" is not null;
--> statement-breakpoint
CREATE INDEX "decisions_customer_id_idx" ON "decisions" USING btree ("project_id","customer_id","at","decision_id") WHERE "decisions"."customer_id" is not null;
--> statement-breakpoint
CREATE INDEX "decisions_request_id_idx" ON "decisions" USING btree ("project_id","request_id","at","decision_id") WHERE "decisions"."request_id" is not null;
--> statement-breakpoint
CREATE INDEX "decisions_path_idx" ON "decisions" USING btree ("project_id","path","at","decision_id") WHERE "decisions"."path" is not null;
--> statement-breakpoint
CREATE INDEX "project_invitations_project_id_idx" ON "project_invitations" USING btree ("project_id");
--> statement-breakpoint
CREATE INDEX "project_invitations_invited_by_idx" ON "project_invitations" USING btree ("invited_by");
--> statement-breakpoint
CREATE INDEX "project_members_user_id_idx" ON "project_members" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "usage_hours_denials_idx" ON "usage_hours" USING btree ("project_id","hour") WHERE "usage_hours"."outcome" <> 'allowed';
--> statement-breakpoint
CREATE INDEX "usage_key_days_largest_idx" ON "usage_key_days" USING btree ("project_id","day") WHERE "usage_key_days"."rank" <= 50;
--> statement-breakpoint
CREATE INDEX "usage_rolled_days_pending_idx" ON "usage_rolled_days" USING btree ("project_id","day") WHERE "usage_rolled_days"."rolled_at" is null;
--> statement-breakpoint
CREATE INDEX "identities_user_id_idx" ON "identities" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "passkeys_user_id_idx" ON "passkeys" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "password_resets_created_by_idx" ON "password_resets" USING btree ("created_by");
--> statement-breakpoint
CREATE INDEX "sessions_user_id_idx" ON "sessions" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "sign_in_attempts_window_ends_at_idx" ON "sign_in_attempts" USING btree ("window_ends_at");
--> statement-breakpoint
CREATE INDEX "sign_in_challenges_user_id_idx" ON "sign_in_challenges" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "sign_in_challenges_expires_at_idx" ON "sign_in_challenges" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree (lower("email"));
--> statement-breakpoint
-- Every flush updates rows of these tables. With room on their page, Postgres writes the new version
-- beside the old one and leaves the indexes alone.
ALTER TABLE "usage_hours" SET (fillfactor = 70);
--> statement-breakpoint
ALTER TABLE "usage_months" SET (fillfactor = 70);
--> statement-breakpoint
ALTER TABLE "api_keys" SET (fillfactor = 80);
--> statement-breakpoint
-- Names and notes are found by their trigrams. `pg_trgm` is part of PostgreSQL and trusted; where a
-- server lacks it, or the role may not create it, a search reads every key of the project instead.
-- Without fastupdate a search never reads a list of keys that the index does not hold yet.
DO $$
DECLARE
  home text;
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  SELECT extnamespace::regnamespace::text INTO home FROM pg_catalog.pg_extension WHERE extname = 'pg_trgm';
  EXECUTE pg_catalog.format(
    'CREATE INDEX api_keys_words_idx ON api_keys USING gin (lower(display_name || '' '' || note) %s.gin_trgm_ops) WITH (fastupdate = off)',
    home);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR invalid_schema_name THEN
  RAISE NOTICE 'No index for searches of keys: %. Create the extension pg_trgm and run the statement of this migration.', SQLERRM;
END $$;
--> statement-breakpoint
-- As for keys: a search reads every customer of the project without it.
DO $$
DECLARE
  home text;
BEGIN
  SELECT extnamespace::regnamespace::text INTO STRICT home FROM pg_catalog.pg_extension WHERE extname = 'pg_trgm';
  EXECUTE pg_catalog.format(
    'CREATE INDEX customers_words_idx ON customers USING gin (lower((external_id || '' '' || name) COLLATE "default") %s.gin_trgm_ops) WITH (fastupdate = off)',
    home);
EXCEPTION WHEN no_data_found OR insufficient_privilege OR undefined_object OR invalid_schema_name THEN
  RAISE NOTICE 'No index for searches of customers: %. Create the extension pg_trgm and run the statement of this migration.', SQLERRM;
END $$;
--> statement-breakpoint
-- A trigger runs in the session of whoever makes the change: with their search path, and with their
-- rights. So each function names the schema of its tables (the migrator replaces "public" by that of
-- the installation), fixes its own path, and runs as its owner. (ADR 0046)
-- revoked_at and archived_at follow the status, so that a plain UPDATE of the status is complete.
CREATE FUNCTION "public".stamp_api_key_status() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.revoked_at := CASE WHEN NEW.status = 'revoked' THEN coalesce(NEW.revoked_at, now()) END;
  NEW.archived_at := CASE WHEN NEW.status = 'archived' THEN coalesce(NEW.archived_at, now()) END;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER api_keys_status BEFORE INSERT OR UPDATE OF status, revoked_at, archived_at ON "api_keys"
  FOR EACH ROW EXECUTE FUNCTION "public".stamp_api_key_status();
--> statement-breakpoint
-- A project's policy revision is different after every change of its policies, whoever makes it, so that
-- a list that a Runtime keeps is never taken for a newer one (rule policy-revision).
-- A project's revision is the bit_xor of its rows. A change adds a random number once per transaction
-- and project, so it waits for nobody; in the same statement it folds the rows that nobody has locked
-- into its own, which leaves their sum as it is. The mark ends with the transaction, and is taken back
-- with the row when a savepoint is rolled back. (consistency rule 6, ADR 0046)
CREATE FUNCTION "public".revise_project(project uuid) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mark text := pg_current_xact_id() || ':';
  revised text := current_setting('ceiba.revised', true);
BEGIN
  IF NOT coalesce(starts_with(revised, mark), false) OR length(revised) > 4000 THEN
    revised := mark;
  END IF;
  IF strpos(revised, project::text) > 0 THEN RETURN; END IF;
  IF current_setting('transaction_isolation') = 'read committed' THEN
    WITH folded AS (
      DELETE FROM "public".decision_revisions WHERE (project_id, r) IN (
        SELECT project_id, r FROM "public".decision_revisions WHERE project_id = project
        FOR UPDATE SKIP LOCKED)
      RETURNING r
    )
    INSERT INTO "public".decision_revisions (project_id, r)
    SELECT id, uuid_hash_extended(gen_random_uuid(), 0) # (SELECT coalesce(bit_xor(r), 0) FROM folded)
    FROM "public".projects WHERE id = project;
  ELSE
    -- A row that another transaction has folded since the snapshot would be an error here.
    INSERT INTO "public".decision_revisions (project_id)
    SELECT id FROM "public".projects WHERE id = project;
  END IF;
  -- A project that is deleted in this transaction, and may be created again in it.
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM set_config('ceiba.revised', revised || project || ' ', true);
END $$;
--> statement-breakpoint
CREATE FUNCTION "public".set_policy_revision() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM "public".revise_project(OLD.project_id); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM "public".revise_project(NEW.project_id); END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "public".set_every_policy_revision() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO "public".decision_revisions (project_id) SELECT id FROM "public".projects;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER policies_revision AFTER INSERT OR UPDATE OR DELETE ON "policies"
  FOR EACH ROW EXECUTE FUNCTION "public".set_policy_revision();
--> statement-breakpoint
CREATE TRIGGER policies_truncate_revision AFTER TRUNCATE ON "policies"
  FOR EACH STATEMENT EXECUTE FUNCTION "public".set_every_policy_revision();
--> statement-breakpoint
-- For the previous release, which reads this column: at the commit, so that an open transaction locks
-- no project, and where nobody has the row. Otherwise that release waits for rule 26, five seconds.
CREATE FUNCTION "public".set_previous_policy_revision() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') = 'read committed' THEN
    UPDATE "public".projects SET policy_revision = gen_random_uuid() WHERE id = (
      SELECT id FROM "public".projects WHERE id = NEW.project_id FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER decision_revisions_previous AFTER INSERT ON "decision_revisions"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "public".set_previous_policy_revision();
--> statement-breakpoint
-- A project begins with a revision of its own: one that is deleted and created again, with the same ID
-- and other policies, never has a revision that a Runtime knows.
CREATE FUNCTION "public".begin_project_revision() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO "public".decision_revisions (project_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER projects_revision AFTER INSERT ON "projects"
  FOR EACH ROW EXECUTE FUNCTION "public".begin_project_revision();
--> statement-breakpoint
-- Each row of the log, and each change of one, waits for every stream, whichever process wrote it.
CREATE FUNCTION "public".queue_audit_entry() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO "public".audit_outbox (stream, audit_id)
  SELECT name, NEW.id FROM "public".audit_streams;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_log_streams AFTER INSERT OR UPDATE ON "audit_log"
  FOR EACH ROW EXECUTE FUNCTION "public".queue_audit_entry();
--> statement-breakpoint
-- Whether a trigger may be created with a function is checked then, never when it fires.
REVOKE ALL ON FUNCTION "public".stamp_api_key_status(), "public".revise_project(uuid),
  "public".set_policy_revision(), "public".set_every_policy_revision(),
  "public".set_previous_policy_revision(), "public".begin_project_revision(),
  "public".queue_audit_entry() FROM PUBLIC;
--> statement-breakpoint
-- Changes that logical replication applies, or a session in the role replica, count too.
ALTER TABLE "api_keys" ENABLE ALWAYS TRIGGER api_keys_status;
--> statement-breakpoint
ALTER TABLE "policies" ENABLE ALWAYS TRIGGER policies_revision;
--> statement-breakpoint
ALTER TABLE "policies" ENABLE ALWAYS TRIGGER policies_truncate_revision;
--> statement-breakpoint
ALTER TABLE "decision_revisions" ENABLE ALWAYS TRIGGER decision_revisions_previous;
--> statement-breakpoint
ALTER TABLE "projects" ENABLE ALWAYS TRIGGER projects_revision;
--> statement-breakpoint
ALTER TABLE "audit_log" ENABLE ALWAYS TRIGGER audit_log_streams;
--> statement-breakpoint
INSERT INTO "plans" (name, active_key_cap, rate_limit_per_minute, monthly_quota) VALUES
  ('Free', 3, 60, 10000),
  ('Starter', 10, 300, 100000),
  ('Pro', 50, 1200, 1000000),
  ('Scale', 500, 6000, 20000000);
