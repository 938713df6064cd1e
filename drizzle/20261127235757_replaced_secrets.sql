CREATE TABLE "replaced_secrets" (
	"project_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"api_key_id" uuid NOT NULL,
	CONSTRAINT "replaced_secrets_pkey" PRIMARY KEY("project_id","digest")
);
--> statement-breakpoint
ALTER TABLE "replaced_secrets" ADD CONSTRAINT "replaced_secrets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- Those of earlier rotations that the table of keys still has.
INSERT INTO "replaced_secrets" (project_id, digest, api_key_id)
  SELECT project_id, previous_digest, id FROM "api_keys" WHERE previous_digest IS NOT NULL;
