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
-- The partitions of days are created by the Runtime (packages/schema/src/decision-log/partitions.ts).
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
	CONSTRAINT "decisions_pkey" PRIMARY KEY("project_id","at","decision_id"),
	CONSTRAINT "decisions_outcome_check" CHECK ("decisions"."outcome" in ('allowed', 'missing_api_key', 'invalid_api_key', 'revoked_api_key', 'archived_api_key', 'expired_api_key', 'policy_no_match', 'inactive_subscription', 'quota_exceeded', 'rate_limited')),
	CONSTRAINT "decisions_path_check" CHECK (octet_length("decisions"."path") <= 2048)
) PARTITION BY RANGE ("at");
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "logged_allows_percent" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "logs_paths" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "settings" ADD COLUMN "decision_retention_days" integer DEFAULT 7 NOT NULL;--> statement-breakpoint
CREATE INDEX "decisions_denied_idx" ON "decisions" USING btree ("project_id","at","decision_id") WHERE "decisions"."outcome" <> 'allowed';--> statement-breakpoint
CREATE INDEX "decisions_outcome_idx" ON "decisions" USING btree ("project_id","outcome","at","decision_id");--> statement-breakpoint
CREATE INDEX "decisions_method_idx" ON "decisions" USING btree ("project_id","method","at","decision_id");--> statement-breakpoint
CREATE INDEX "decisions_api_key_id_idx" ON "decisions" USING btree ("project_id","api_key_id","at","decision_id") WHERE "decisions"."api_key_id" is not null;--> statement-breakpoint
CREATE INDEX "decisions_request_id_idx" ON "decisions" USING btree ("project_id","request_id","at","decision_id") WHERE "decisions"."request_id" is not null;--> statement-breakpoint
CREATE INDEX "decisions_path_idx" ON "decisions" USING btree ("project_id","path","at","decision_id") WHERE "decisions"."path" is not null;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_logged_allows_percent_check" CHECK ("projects"."logged_allows_percent" between 0 and 100);--> statement-breakpoint
ALTER TABLE "settings" ADD CONSTRAINT "settings_decision_retention_days_check" CHECK ("settings"."decision_retention_days" between 1 and 90);