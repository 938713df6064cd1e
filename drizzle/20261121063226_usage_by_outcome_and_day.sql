-- Days that were added up without these totals are added up again.
UPDATE "usage_rolled_days" SET "rolled_at" = NULL;--> statement-breakpoint
CREATE TABLE "usage_outcome_days" (
	"project_id" uuid NOT NULL,
	"day" date NOT NULL,
	"outcome" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "usage_outcome_days_pkey" PRIMARY KEY("project_id","day","outcome")
);
