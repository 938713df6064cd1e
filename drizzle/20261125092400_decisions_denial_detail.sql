ALTER TABLE "decisions" ADD COLUMN "denial_detail" text;--> statement-breakpoint
-- expand: the previous release does not write this column. NOT VALID: a new column holds nothing to
-- check, and a scan would block the log meanwhile.
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_denial_detail_check" CHECK ("denial_detail" in ('expired', 'disabled', 'past_due', 'canceled', 'period_ended', 'no_subscription')) NOT VALID;
