DROP INDEX "alert_deliveries_pending_idx";--> statement-breakpoint
CREATE INDEX "alert_deliveries_due_idx" ON "alert_deliveries" USING btree ("destination_id","next_attempt_at") WHERE "alert_deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "alert_deliveries_claimed_idx" ON "alert_deliveries" USING btree ("destination_id") WHERE "alert_deliveries"."claimed_until" is not null;--> statement-breakpoint
CREATE INDEX "alert_deliveries_last_attempt_at_idx" ON "alert_deliveries" USING btree ("destination_id","last_attempt_at");