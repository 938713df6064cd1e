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
ALTER TABLE "decisions" DROP CONSTRAINT "decisions_limit_owner_check";--> statement-breakpoint
ALTER TABLE "decisions" DROP CONSTRAINT "decisions_denial_detail_check";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "customer_id" uuid;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "scopes" text[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "daily_quota" bigint;--> statement-breakpoint
ALTER TABLE "decisions" ADD COLUMN "customer_id" uuid;--> statement-breakpoint
ALTER TABLE "decisions" ADD COLUMN "limit_window" text;--> statement-breakpoint
ALTER TABLE "decisions" ADD COLUMN "limit_value" bigint;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "daily_quota" bigint;--> statement-breakpoint
ALTER TABLE "policies" ADD COLUMN "scopes" text[];--> statement-breakpoint
ALTER TABLE "policies" ADD COLUMN "cost" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_plan_fkey" FOREIGN KEY ("project_id","plan_id") REFERENCES "customer_plans"("project_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customer_plans" ADD CONSTRAINT "customer_plans_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "customers_project_id_created_at_idx" ON "customers" USING btree ("project_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "customers_plan_idx" ON "customers" USING btree ("project_id","plan_id");--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_customer_fkey" FOREIGN KEY ("project_id","customer_id") REFERENCES "customers"("project_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_customer_idx" ON "api_keys" USING btree ("project_id","customer_id") WHERE "api_keys"."customer_id" is not null;--> statement-breakpoint
CREATE INDEX "decisions_customer_id_idx" ON "decisions" USING btree ("project_id","customer_id","at","decision_id") WHERE "customer_id" is not null;--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_scopes_check" CHECK (cardinality("api_keys"."scopes") <= 64 and array_position("api_keys"."scopes", null) is null);--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_daily_quota_check" CHECK ("api_keys"."daily_quota" >= 0);--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_limit_window_check" CHECK ("limit_window" in ('minute', 'day', 'month'));--> statement-breakpoint
-- expand: the previous release writes only values that the wider list has
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_limit_owner_check" CHECK ("limit_owner" in ('plan', 'customer_plan', 'customer', 'api_key', 'project_default'));--> statement-breakpoint
-- expand: the previous release writes only values that the wider list has
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_denial_detail_check" CHECK ("denial_detail" in ('expired', 'disabled', 'scope', 'plan_scope', 'past_due', 'canceled', 'period_ended', 'no_subscription', 'customer_suspended', 'customer_past_due', 'customer_canceled', 'customer_period_ended'));--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "plans" ADD CONSTRAINT "plans_daily_quota_check" CHECK ("plans"."daily_quota" >= 0);--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "policies" ADD CONSTRAINT "policies_scopes_check" CHECK (cardinality("policies"."scopes") <= 64 and array_position("policies"."scopes", null) is null);--> statement-breakpoint
-- expand: the column is new, and the previous release leaves it out
ALTER TABLE "policies" ADD CONSTRAINT "policies_cost_check" CHECK ("policies"."cost" between 0 and 1000000);--> statement-breakpoint
-- As for keys (migration 20261125191437): a search reads every customer of the project without it.
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
