import { randomBytes } from 'node:crypto';
import { maintainDecisionLog, postgresError } from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { type MadeProject, makeProject, useBench } from './support.ts';

const DIGEST_33 = `decode(repeat('ab', 33), 'hex')`;
const DIGEST_32 = `decode(repeat('ab', 32), 'hex')`;
const DIGEST_31 = `decode(repeat('ab', 31), 'hex')`;
const key = (columns: string, values: string) =>
  `insert into api_keys (project_id, display_name, key_prefix${columns})
   values ($1, 'Job', 'ceiba_x'${values})`;
const goodKey = (column: string, value: string) =>
  key(`, key_digest, ${column}`, `, ${DIGEST_32}, ${value}`);
const previousKey = (digest: string, expiresAt: string) =>
  key(
    ', key_digest, previous_digest, previous_prefix, previous_expires_at',
    `, ${DIGEST_32}, ${digest}, 'ceiba_x', ${expiresAt}`,
  );
const creation = (name: string, digest: string) =>
  `with made as (${key(', key_digest', `, ${DIGEST_32}`)} returning id)
   insert into key_creations (project_id, idempotency_key, body_digest, api_key_id)
   select $1, ${name}, ${digest}, id from made`;
const project = (column: string, value: string) =>
  `update projects set ${column} = ${value} where id = $1`;
const subscription = (column: string, value: string) =>
  `update subscriptions set ${column} = ${value} where project_id = $1`;
const plan = (cap: string, rate: string, quota: string) =>
  `insert into plans (name, active_key_cap, rate_limit_per_minute, monthly_quota)
   values ($1::uuid::text, ${cap}, ${rate}, ${quota})`;
const usage = (outcome: string, count: string) =>
  `insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
   values ($1, now(), $1, $1, '${outcome}', 'i', ${count})`;
const decision = (outcome: string, path: string) =>
  `insert into decisions (project_id, at, decision_id, method, outcome, path, latency_ms)
   values ($1, now(), $1, 'GET', '${outcome}', ${path}, 1)`;
const gap = (outcome: string, leftOut: string) =>
  `insert into decision_gaps (project_id, minute, outcome, incarnation, left_out)
   values ($1, now(), '${outcome}', 'i', ${leftOut})`;
const limitedBy = (owner: string) =>
  `insert into decisions (project_id, at, decision_id, method, outcome, limit_owner, latency_ms)
   values ($1, now(), $1, 'GET', 'rate_limited', '${owner}', 1)`;
const deniedBy = (detail: string) =>
  `insert into decisions (project_id, at, decision_id, method, outcome, denial_detail, latency_ms)
   values ($1, now(), $1, 'GET', 'expired_api_key', '${detail}', 1)`;
const member = (role: string) =>
  `insert into project_members (project_id, user_id, role)
   select id, owner_id, '${role}' from projects where id = $1`;
const invitation = (role: string, digest: string, expiresAt: string) =>
  `insert into project_invitations (project_id, invited_by, label, role, token_digest, expires_at)
   select id, owner_id, 'Ana', '${role}', ${digest}, ${expiresAt} from projects where id = $1`;
const ofOwner = (table: string, columns: string, values: string) =>
  `insert into ${table} (user_id, ${columns}) select owner_id, ${values} from projects where id = $1`;
const reset = (digest: string, expiresAt: string) =>
  ofOwner('password_resets', 'token_digest, expires_at', `${digest}, ${expiresAt}`);
const challenge = (purpose: string, digest: string, expiresAt: string) =>
  ofOwner(
    'sign_in_challenges',
    'purpose, token_digest, expires_at',
    `'${purpose}', ${digest}, ${expiresAt}`,
  );
const token = (digest: string, access: string, expiresAt: string, projects = 'null') =>
  ofOwner(
    'access_tokens',
    'name, token_prefix, token_digest, access, expires_at, project_ids',
    `'CI', 'ceiba_token_x', ${digest}, '${access}', ${expiresAt}, ${projects}`,
  );
const destination = (kind: string, columns = '', values = '') =>
  `insert into alert_destinations (project_id, kind, address, description, event_types${columns})
   values ($1, '${kind}', 'ops@example.com', '', '{}'${values})`;
const disabled = (reason: string) =>
  destination('mail', ', disabled_at, disabled_reason', `, ${reason}`);
const delivery = (column: string, value: string) =>
  `with event as (
     insert into alert_events (project_id, type, subject, data)
     values ($1, 'x', '${column}', '{}') returning id
   ), destination as (${destination('mail')} returning id)
   insert into alert_deliveries (event_id, destination_id, ${column})
   select event.id, destination.id, ${value} from event, destination`;
const settings = (column: string, value: string) =>
  `insert into settings (${column}) select ${value} where $1::uuid is not null`;

const decided = (column: string, value: string) =>
  `insert into decisions (project_id, at, decision_id, method, outcome, ${column}, latency_ms)
   values ($1, now(), $1, 'GET', 'rate_limited', ${value}, 1)`;
const policy = (column: string, value: string) =>
  `insert into policies (project_id, method, path_pattern, ${column})
   values ($1, 'GET', '/checked', ${value})`;
const customer = (column: string, value: string) =>
  `insert into customers (project_id, external_id, ${column}) values ($1, 'checked', ${value})`;
const customerPlan = (column: string, value: string) =>
  `insert into customer_plans (project_id, name, ${column}) values ($1, 'checked', ${value})`;
const TOO_MANY_LABELS = `array_fill('x'::text, array[65])`;
const NULL_LABEL = `array[null]::text[]`;
const TOO_MUCH = '1000000000001';

/** Each constraint that holds for every writer, and statements that it refuses; `$1` is a project. */
const REFUSED: Record<string, string[]> = {
  alert_consents_answer_check: [
    `insert into alert_consents (project_id, address_digest, answer) values ($1, ${DIGEST_32}, 'maybe')`,
  ],
  alert_mails_purpose_check: [
    `insert into alert_mails (token_digest, purpose, owner_id, project_id, address_digest)
     values (${DIGEST_32}, 'advert', $1, $1, ${DIGEST_32})`,
  ],
  access_tokens_token_digest_check: [token(DIGEST_31, 'read', 'now()')],
  access_tokens_access_check: [token(DIGEST_32, 'admin', 'now()')],
  access_tokens_expires_at_check: [token(DIGEST_32, 'read', "'infinity'")],
  access_tokens_project_ids_check: [
    token(DIGEST_32, 'read', 'now()', "'{}'"),
    token(DIGEST_32, 'read', 'now()', 'array_fill(gen_random_uuid(), array[101])'),
  ],
  password_resets_token_digest_check: [reset(DIGEST_31, 'now()')],
  password_resets_expires_at_check: [reset(DIGEST_32, "'infinity'")],
  password_resets_sent_to_check: [
    ofOwner('password_resets', 'sent_to, token_digest, expires_at', `'fax', ${DIGEST_32}, now()`),
  ],
  recovery_codes_code_digest_check: [ofOwner('recovery_codes', 'code_digest', DIGEST_33)],
  passkeys_counter_check: [
    ofOwner(
      'passkeys',
      'credential_id, public_key, counter, transports, name, is_backed_up',
      "'id', 'key', -1, '{}', 'Laptop', false",
    ),
  ],
  sign_in_challenges_purpose_check: [challenge('guess', DIGEST_32, 'now()')],
  sign_in_challenges_token_digest_check: [challenge('second_factor', DIGEST_31, 'now()')],
  sign_in_challenges_expires_at_check: [challenge('second_factor', DIGEST_32, "'infinity'")],
  api_keys_expires_at_check: [
    goodKey('expires_at', "'infinity'"),
    goodKey('expires_at', "'-infinity'"),
  ],
  api_keys_disabled_at_check: [goodKey('disabled_at', "'infinity'")],
  api_keys_note_check: [goodKey('note', `repeat('é', 501)`)],
  api_keys_previous_check: [
    key(', key_digest, previous_digest', `, ${DIGEST_32}, ${DIGEST_32}`),
    goodKey('previous_prefix', `'ceiba_x'`),
    goodKey('previous_expires_at', 'now()'),
  ],
  api_keys_previous_digest_check: [previousKey(DIGEST_33, 'now()')],
  api_keys_previous_expires_at_check: [previousKey(DIGEST_32, "'infinity'")],
  api_keys_imported_digest_check: [goodKey('imported_digest', DIGEST_33)],
  api_keys_metadata_check: [
    goodKey('metadata', `'[]'`),
    goodKey('metadata', `jsonb_build_object('x', repeat('x', 8192))`),
  ],
  key_creations_body_digest_check: [creation(`'x'`, DIGEST_31)],
  key_creations_idempotency_key_check: [creation(`repeat('x', 256)`, DIGEST_32)],
  projects_key_prefix_check: [
    project('key_prefix', `''`),
    project('key_prefix', `'Acme_'`),
    project('key_prefix', `'acme'`),
    project('key_prefix', `'abcdefghijklmnopq_'`),
    project('key_prefix', `'ceiba_token_'`),
    project('key_prefix', `'my_ceiba_2_'`),
  ],
  projects_previous_secret_expires_at_check: [
    project('previous_secret_expires_at', "'infinity'"),
    project('previous_secret_expires_at', "'-infinity'"),
  ],
  subscriptions_current_period_end_check: [
    subscription('current_period_end', "'infinity'"),
    subscription('current_period_end', "'-infinity'"),
  ],
  plans_active_key_cap_check: [plan('-1', '1', '1')],
  plans_rate_limit_per_minute_check: [plan('1', '-1', '1')],
  plans_monthly_quota_check: [plan('1', '1', '-1'), plan('1', '1', TOO_MUCH)],
  projects_default_key_rate_check: [project('default_key_rate_limit_per_minute', '-1')],
  api_keys_rate_limit_per_minute_check: [goodKey('rate_limit_per_minute', '-1')],
  api_keys_monthly_quota_check: [
    goodKey('monthly_quota', '-1'),
    goodKey('monthly_quota', TOO_MUCH),
  ],
  api_keys_key_digest_check: [
    key(', key_digest', `, ${DIGEST_31}`),
    key(', key_digest', `, ${DIGEST_33}`),
    key(', key_digest', `, ''`),
  ],
  projects_secret_digest_check: [project('secret_digest', DIGEST_31)],
  projects_previous_secret_digest_check: [project('previous_secret_digest', DIGEST_33)],
  api_keys_status_check: [goodKey('status', "'suspended'")],
  subscriptions_status_check: [subscription('status', "'paused'")],
  subscriptions_project_id_key: [
    'insert into subscriptions (project_id, plan_id) select $1, id from plans limit 1',
  ],
  usage_hours_outcome_check: [usage('perhaps', '1')],
  usage_hours_count_check: [usage('allowed', '-1')],
  usage_months_count_check: [
    `insert into usage_months (project_id, month, scope, incarnation, count)
     values ($1, 24322, 'project', 'i', -1)`,
  ],
  api_keys_daily_quota_check: [goodKey('daily_quota', '-1'), goodKey('daily_quota', TOO_MUCH)],
  api_keys_scopes_check: [goodKey('scopes', TOO_MANY_LABELS), goodKey('scopes', NULL_LABEL)],
  plans_daily_quota_check: [
    `insert into plans (name, active_key_cap, rate_limit_per_minute, monthly_quota, daily_quota)
     values ($1::uuid::text, 1, 1, 1, -1)`,
  ],
  policies_scopes_check: [policy('scopes', TOO_MANY_LABELS), policy('scopes', NULL_LABEL)],
  policies_cost_check: [policy('cost', '-1'), policy('cost', '1000001')],
  customers_external_id_check: [
    `insert into customers (project_id, external_id) values ($1, '')`,
    `insert into customers (project_id, external_id) values ($1, repeat('é', 128))`,
  ],
  customers_metadata_check: [
    customer('metadata', `'[]'`),
    customer('metadata', `jsonb_build_object('x', repeat('x', 8192))`),
  ],
  customers_plan_check: [
    customer('subscription_status', `'active'`),
    customer('current_period_end', 'now()'),
  ],
  customers_subscription_status_check: [
    `with plan as (
       insert into customer_plans (project_id, name) values ($1, 'checked') returning id
     ) insert into customers (project_id, external_id, plan_id, subscription_status)
     select $1, 'checked', id, 'paused' from plan`,
  ],
  customers_current_period_end_check: [customer('current_period_end', `'infinity'`)],
  customers_suspended_at_check: [customer('suspended_at', `'infinity'`)],
  customers_billing_day_check: [customer('billing_day', '0'), customer('billing_day', '29')],
  customers_rate_limit_per_minute_check: [customer('rate_limit_per_minute', '-1')],
  customers_daily_quota_check: [customer('daily_quota', '-1'), customer('daily_quota', TOO_MUCH)],
  customers_monthly_quota_check: [
    customer('monthly_quota', '-1'),
    customer('monthly_quota', TOO_MUCH),
  ],
  customer_plans_active_key_cap_check: [customerPlan('active_key_cap', '-1')],
  customer_plans_scopes_check: [
    customerPlan('scopes', TOO_MANY_LABELS),
    customerPlan('scopes', NULL_LABEL),
  ],
  customer_plans_rate_limit_per_minute_check: [customerPlan('rate_limit_per_minute', '-1')],
  customer_plans_daily_quota_check: [customerPlan('daily_quota', TOO_MUCH)],
  customer_plans_monthly_quota_check: [customerPlan('monthly_quota', TOO_MUCH)],
  usage_quota_days_count_check: [
    `insert into usage_quota_days (project_id, day, scope, incarnation, count)
     values ($1, '2026-11-26', 'project@0', 'i', -1)`,
  ],
  usage_cost_hours_count_check: [
    `insert into usage_cost_hours (project_id, hour, api_key_id, kind, incarnation, count)
     values ($1, now(), $1, 'free', 'i', -1)`,
  ],
  usage_cost_hours_kind_check: [
    `insert into usage_cost_hours (project_id, hour, api_key_id, kind, incarnation, count)
     values ($1, now(), $1, 'dear', 'i', 1)`,
  ],
  decisions_limit_window_check: [decided('limit_window', `'hour'`)],
  settings_one_row_check: [settings('id', 'false')],
  settings_usage_retention_days_check: [settings('usage_retention_days', '30')],
  settings_audit_retention_days_check: [settings('audit_retention_days', '3651')],
  settings_decision_retention_days_check: [settings('decision_retention_days', '0')],
  settings_setup_token_digest_check: [settings('setup_token_digest', "'\\x00'::bytea")],
  projects_logged_allows_percent_check: [project('logged_allows_percent', '101')],
  decisions_outcome_check: [decision('perhaps', "'/'")],
  decisions_path_check: [decision('rate_limited', "repeat('x', 2049)")],
  decisions_limit_owner_check: [limitedBy('other')],
  decisions_denial_detail_check: [deniedBy('other')],
  project_members_role_check: [member('owner')],
  project_invitations_role_check: [invitation('owner', DIGEST_32, 'now()')],
  project_invitations_token_digest_check: [invitation('viewer', DIGEST_31, 'now()')],
  project_invitations_expires_at_check: [invitation('viewer', DIGEST_32, "'infinity'")],
  decision_gaps_outcome_check: [gap('perhaps', '1')],
  decision_gaps_left_out_check: [gap('allowed', '-1')],
  alert_destinations_kind_check: [destination('pigeon')],
  alert_destinations_signing_secret_check: [destination('webhook')],
  alert_destinations_disabled_reason_check: [disabled(`now(), 'mood'`)],
  alert_destinations_disabled_at_check: [disabled('now(), null')],
  alert_deliveries_status_check: [delivery('status', `'lost'`)],
  alert_deliveries_attempts_check: [delivery('attempts', '-1')],
  decision_failures_failed_check: [
    `insert into decision_failures (project_id, minute, cause, incarnation, failed)
     values ($1, now(), 'redis', 'i', -1)`,
  ],
};

const bench = useBench();
let made: MadeProject;
beforeAll(async () => {
  made = await makeProject(bench.ctx);
  await maintainDecisionLog(bench.db, { maxRows: 1 });
});

async function constraintThatRefuses(statement: string): Promise<string | undefined> {
  try {
    await bench.db.sql.unsafe(statement, [made.projectId]);
  } catch (error) {
    return postgresError(error)?.constraint_name;
  }
  throw new Error('the statement was accepted');
}

describe('the tables refuse', () => {
  test.each(Object.entries(REFUSED))('what breaks %s', async (constraint, statements) => {
    for (const statement of statements) {
      expect(await constraintThatRefuses(statement)).toBe(constraint);
    }
  });

  test('the same digest twice in a project', async () => {
    const digest = randomBytes(32);
    const insert = (projectId: string) =>
      bench.db.sql`insert into api_keys (project_id, display_name, key_prefix, key_digest)
        values (${projectId}, 'Job', 'ceiba_x', ${digest})`;
    await insert(made.projectId);
    await expect(insert(made.projectId)).rejects.toThrow('api_keys_project_id_key_digest_key');
    const { projectId: other } = await makeProject(bench.ctx);
    await insert(other);
  });

  test('two projects of one name for one owner', async () => {
    const insert = bench.db.sql`
      insert into projects (owner_id, name, secret_digest)
      values (${made.ownerId}, ${made.name}, ${randomBytes(32)})`;
    await expect(insert).rejects.toThrow('projects_owner_id_name_key');
  });

  test('one address twice, regardless of letter case', async () => {
    await bench.db.sql`insert into users (email) values ('Ops@example.com')`;
    const again = bench.db.sql`insert into users (email) values ('ops@EXAMPLE.com')`;
    await expect(again).rejects.toThrow('users_email_key');
  });
});

describe('every CHECK of the database', () => {
  test('is tested by a statement here, or concerns only the console', async () => {
    const rows = await bench.db.sql<{ name: string }[]>`
      select conname as name from pg_constraint
      where contype = 'c' and connamespace = 'public'::regnamespace`;
    const untried = rows.map(({ name }) => name).filter((name) => !(name in REFUSED));
    expect(untried.filter((name) => !/^(sessions|sign_in_attempts)_/.test(name))).toEqual([]);
  });
});
