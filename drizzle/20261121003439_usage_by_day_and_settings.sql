CREATE TABLE "settings" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"usage_retention_days" integer,
	"audit_retention_days" integer,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "settings_one_row_check" CHECK ("settings"."id"),
	CONSTRAINT "settings_usage_retention_days_check" CHECK ("settings"."usage_retention_days" between 31 and 3650),
	CONSTRAINT "settings_audit_retention_days_check" CHECK ("settings"."audit_retention_days" between 31 and 3650)
);
--> statement-breakpoint
CREATE TABLE "usage_key_days" (
	"project_id" uuid NOT NULL,
	"day" date NOT NULL,
	"api_key_id" uuid NOT NULL,
	"allowed" bigint NOT NULL,
	"denied" bigint NOT NULL,
	CONSTRAINT "usage_key_days_pkey" PRIMARY KEY("project_id","day","api_key_id")
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
CREATE TABLE "usage_rolled_days" (
	"project_id" uuid NOT NULL,
	"day" date NOT NULL,
	"rolled_at" timestamp with time zone,
	"late_writes" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_rolled_days_pkey" PRIMARY KEY("project_id","day")
);
--> statement-breakpoint
DROP INDEX "audit_log_project_id_id_idx";--> statement-breakpoint
DROP INDEX "audit_log_owner_id_id_idx";--> statement-breakpoint
ALTER TABLE "usage_months" ADD COLUMN "updated_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "usage_rolled_days_pending_idx" ON "usage_rolled_days" USING btree ("project_id","day") WHERE "usage_rolled_days"."rolled_at" is null;--> statement-breakpoint
CREATE INDEX "audit_log_project_id_at_idx" ON "audit_log" USING btree ("project_id","at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "audit_log_owner_id_at_idx" ON "audit_log" USING btree ("owner_id","at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "audit_log_at_idx" ON "audit_log" USING btree ("at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "usage_hours_denials_idx" ON "usage_hours" USING btree ("project_id","hour") WHERE "usage_hours"."outcome" <> 'allowed';