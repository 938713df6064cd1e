CREATE TABLE "alert_consents" (
	"project_id" uuid NOT NULL,
	"address_digest" "bytea" NOT NULL,
	"answer" text NOT NULL,
	"answered_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_consents_pkey" PRIMARY KEY("project_id","address_digest"),
	CONSTRAINT "alert_consents_answer_check" CHECK ("alert_consents"."answer" in ('confirmed', 'unsubscribed'))
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
ALTER TABLE "alert_consents" ADD CONSTRAINT "alert_consents_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_mails_address_digest_idx" ON "alert_mails" USING btree ("address_digest","sent_at");--> statement-breakpoint
CREATE INDEX "alert_mails_owner_id_idx" ON "alert_mails" USING btree ("owner_id","sent_at");--> statement-breakpoint
CREATE INDEX "alert_mails_sent_at_idx" ON "alert_mails" USING btree ("sent_at");