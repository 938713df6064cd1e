ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_rate_limit_per_minute_check";--> statement-breakpoint
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_daily_quota_check";--> statement-breakpoint
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_monthly_quota_check";--> statement-breakpoint
ALTER TABLE "plans" DROP CONSTRAINT "plans_rate_limit_per_minute_check";--> statement-breakpoint
ALTER TABLE "plans" DROP CONSTRAINT "plans_daily_quota_check";--> statement-breakpoint
ALTER TABLE "plans" DROP CONSTRAINT "plans_monthly_quota_check";--> statement-breakpoint
-- expand: the previous release reads it as a number of either type
ALTER TABLE "api_keys" ALTER COLUMN "monthly_quota" SET DATA TYPE bigint;--> statement-breakpoint
-- expand: the previous release reads it as a number of either type
ALTER TABLE "plans" ALTER COLUMN "monthly_quota" SET DATA TYPE bigint;--> statement-breakpoint
-- expand: the previous release writes no larger numbers
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_rate_limit_per_minute_check" CHECK ("api_keys"."rate_limit_per_minute" between 0 and 1000000000000);--> statement-breakpoint
-- expand: the previous release writes no larger numbers
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_daily_quota_check" CHECK ("api_keys"."daily_quota" between 0 and 1000000000000);--> statement-breakpoint
-- expand: the previous release writes no larger numbers
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_monthly_quota_check" CHECK ("api_keys"."monthly_quota" between 0 and 1000000000000);--> statement-breakpoint
-- expand: the previous release writes no larger numbers
ALTER TABLE "plans" ADD CONSTRAINT "plans_rate_limit_per_minute_check" CHECK ("plans"."rate_limit_per_minute" between 0 and 1000000000000);--> statement-breakpoint
-- expand: the previous release writes no larger numbers
ALTER TABLE "plans" ADD CONSTRAINT "plans_daily_quota_check" CHECK ("plans"."daily_quota" between 0 and 1000000000000);--> statement-breakpoint
-- expand: the previous release writes no larger numbers
ALTER TABLE "plans" ADD CONSTRAINT "plans_monthly_quota_check" CHECK ("plans"."monthly_quota" between 0 and 1000000000000);