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
CREATE INDEX "audit_outbox_stream_id_idx" ON "audit_outbox" USING btree ("stream","id");--> statement-breakpoint
-- Each row of the log, and each change of one, waits for every stream, whichever process wrote it.
CREATE FUNCTION "public".queue_audit_entry() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO "public".audit_outbox (stream, audit_id)
  SELECT name, NEW.id FROM "public".audit_streams;
  RETURN NULL;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "public".queue_audit_entry() FROM PUBLIC;
--> statement-breakpoint
CREATE TRIGGER audit_log_streams AFTER INSERT OR UPDATE ON "audit_log"
  FOR EACH ROW EXECUTE FUNCTION "public".queue_audit_entry();
--> statement-breakpoint
ALTER TABLE "audit_log" ENABLE ALWAYS TRIGGER audit_log_streams;
