CREATE TABLE "runtime_leases" (
	"id" text PRIMARY KEY NOT NULL,
	"renewed_at" timestamp with time zone DEFAULT now() NOT NULL
);
