ALTER TABLE "password_resets" DROP CONSTRAINT "password_resets_pkey";--> statement-breakpoint
ALTER TABLE "password_resets" ADD COLUMN "sent_to" text DEFAULT 'administrator' NOT NULL;--> statement-breakpoint
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_pkey" PRIMARY KEY("user_id","sent_to");--> statement-breakpoint
ALTER TABLE "password_resets" ADD COLUMN "created_by" uuid;--> statement-breakpoint
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "password_resets_created_by_idx" ON "password_resets" USING btree ("created_by");--> statement-breakpoint
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_sent_to_check" CHECK ("password_resets"."sent_to" in ('administrator', 'mail'));