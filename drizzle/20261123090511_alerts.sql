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
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_event_id_alert_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."alert_events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_destination_id_alert_destinations_id_fk" FOREIGN KEY ("destination_id") REFERENCES "public"."alert_destinations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_destinations" ADD CONSTRAINT "alert_destinations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_events" ADD CONSTRAINT "alert_events_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_deliveries_destination_id_idx" ON "alert_deliveries" USING btree ("destination_id","id");--> statement-breakpoint
CREATE INDEX "alert_deliveries_pending_idx" ON "alert_deliveries" USING btree ("next_attempt_at") WHERE "alert_deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "alert_destinations_project_id_idx" ON "alert_destinations" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "alert_events_created_at_idx" ON "alert_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "decision_failures_minute_idx" ON "decision_failures" USING btree ("minute");