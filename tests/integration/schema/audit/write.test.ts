import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type MintedCredential,
  mintAccessToken,
  mintApiKey,
  mintInvitation,
  mintMailLink,
  mintPasswordReset,
  mintProjectSecret,
  mintSetupToken,
} from '@ceiba/domain';
import { hashPassword } from '@ceiba/domain/password';
import {
  type AlertDestinationRef,
  acceptInvitation,
  addPasskey,
  allOrNothing,
  archiveApiKey,
  type ClaimedDelivery,
  changeApiKeys,
  claimAlertDeliveries,
  confirmAlertMail,
  confirmAuthenticator,
  createAccessToken,
  createAlertDestination,
  createApiKey,
  createApiKeys,
  createCustomer,
  createCustomerPlan,
  createInvitation,
  createPasswordReset,
  createPlan,
  createPolicies,
  createPolicy,
  createProject,
  createSetupToken,
  createUser,
  deleteAlertDestination,
  deleteCustomerPlan,
  deletePlan,
  deletePolicy,
  deleteProject,
  deleteUser,
  describeApiKey,
  disableAlertDestination,
  disableApiKey,
  enableAlertDestination,
  enableApiKey,
  endPreviousKeySecret,
  endPreviousSecret,
  endSession,
  endSessionOf,
  enrollAuthenticator,
  getProject,
  importApiKeys,
  leaveProject,
  listPasskeys,
  putCustomerPlan,
  putPlan,
  recordAttempt,
  recordRefusedSignIn,
  removeMember,
  removePasskey,
  removePasskeys,
  removeSecondFactors,
  renamePasskey,
  replacePolicies,
  replaceRecoveryCodes,
  resumeCustomer,
  revokeAccessToken,
  revokeAccessTokens,
  revokeApiKey,
  revokeInvitation,
  rotateApiKey,
  rotateProjectSecret,
  rotateSigningSecret,
  sendAlertAgain,
  sendConfirmation,
  sendTestAlert,
  setAdministrator,
  setEmail,
  setMemberRole,
  setPassword,
  setRetention,
  setSecondFactorRule,
  setSubscription,
  setTimeZone,
  signOutEverywhere,
  signUp,
  startSession,
  suspendCustomer,
  transferProject,
  turnOffSecondFactor,
  unsubscribeAlertMail,
  updateAlertDestination,
  updateApiKey,
  updateCustomer,
  updateCustomerPlan,
  updatePlan,
  updatePolicy,
  updateProject,
  usePasswordReset,
  type VerbContext,
} from '@ceiba/schema';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { claimAs, type MadeDestination, makeDestination } from '../alert/support.ts';
import { addMember } from '../member/support.ts';
import {
  expectKind,
  givePlan,
  LIMITS,
  type MadeKey,
  type MadeProject,
  makeKey,
  makeOwner,
  makeProject,
  useBench,
} from '../support.ts';

const bench = useBench();

/** Every secret that this file creates: no audit row may contain one. */
const secrets: string[] = [];
const kept = (minted: MintedCredential) => {
  const { plaintext, digest } = minted;
  secrets.push(plaintext, digest.toString('hex'), digest.toString('base64'));
  return minted;
};

interface Scene {
  project: MadeProject;
  key: MadeKey;
  policyId: string;
  passwordHash: string;
  /** No project is on it. */
  planId: string;
  /** Of the project; no customer is on it. */
  customerPlanId: string;
  customerId: string;
  /** Owns nothing. */
  bystander: string;
  /** A session of the bystander. */
  sessionId: string;
  /** Has a second factor, a passkey, an access token and a link that resets the password. */
  secured: Secured;
  /** The sealed secret of the app that the bystander is setting up. */
  enrolled: Buffer;
  /** A viewer of the project. */
  memberId: string;
  /** An open invitation to it. */
  invitationId: string;
  invitation: MintedCredential;
  /** Of the project, enabled. */
  destination: AlertDestinationRef;
  /** A test to it that is being sent. */
  claimed: ClaimedDelivery;
  mail: Awaited<ReturnType<typeof makeMail>>;
}

interface Secured {
  userId: string;
  email: string;
  passkeyId: string;
  tokenId: string;
  reset: MintedCredential;
}

const PROVEN = { sessionVersion: 0 };
const SESSION = {
  ...PROVEN,
  lifetimeSeconds: 60,
  userAgent: null,
  proof: { method: 'password' },
} as const;

const newPasskey = (name: string) => ({
  name,
  isBackedUp: false,
  credential: {
    credentialId: randomUUID(),
    publicKey: Buffer.from('public'),
    counter: 0,
    transports: [],
  },
});

const newToken = (userId: string) =>
  ({
    ...PROVEN,
    userId,
    name: 'CI',
    access: 'write',
    projectIds: null,
    days: 7,
    minted: kept(mintAccessToken(randomBytes)),
  }) as const;

/** Stores the secret of a new app. */
async function enroll(userId: string): Promise<Buffer> {
  const sealedSecret = signingSecret();
  await enrollAuthenticator(bench.ctx, { ...PROVEN, userId, sealedSecret });
  return sealedSecret;
}

const firstCode = (userId: string, sealedSecret: Buffer) => ({
  ...PROVEN,
  userId,
  sealedSecret,
  step: 1_000,
  recoveryDigests: [randomBytes(32)],
});

async function makeSecured(passwordHash: string): Promise<Secured> {
  const email = `${randomUUID()}@example.com`;
  const { userId } = expectKind(await createUser(bench.ctx, { email, passwordHash }), 'created');
  await confirmAuthenticator(bench.ctx, firstCode(userId, await enroll(userId)));
  await addPasskey(bench.ctx, { ...PROVEN, userId, ...newPasskey('Laptop') });
  const [passkey] = await listPasskeys(bench.db, userId);
  const reset = kept(mintPasswordReset(randomBytes));
  const link = { userId, email, to: 'administrator', token: reset } as const;
  expectKind(await createPasswordReset(bench.ctx, link), 'created');
  const created = await createAccessToken(bench.ctx, newToken(userId));
  const { tokenId } = expectKind(created, 'created');
  return { userId, email, passkeyId: passkey!.passkeyId, tokenId, reset };
}

/** Runs a verb in a transaction in which no user is an administrator. */
function withoutAdministrators<T>(
  ctx: VerbContext,
  run: (ctx: VerbContext) => Promise<T>,
): Promise<T> {
  return ctx.db.orm.transaction(async (orm) => {
    const demoted = await orm.execute<{ id: string }>(
      sql`update users set is_administrator = false where is_administrator returning id`,
    );
    const result = await run({ ...ctx, db: { orm } });
    for (const { id } of demoted) {
      await orm.execute(sql`update users set is_administrator = true where id = ${id}`);
    }
    return result;
  });
}

async function makeScene(passwordHash: string): Promise<Scene> {
  const project = await makeProject(bench.ctx);
  await givePlan(bench.ctx, project.projectId, { activeKeyCap: 5 });
  const key = await makeKey(bench.ctx, project.projectId);
  const rule = { method: 'GET', pathPattern: '/v1/reports*' };
  const policy = await createPolicy(bench.ctx, { projectId: project.projectId, ...rule });
  kept(project.secret);
  kept(key.minted);
  const plan = await createPlan(bench.ctx, { name: `plan-${randomUUID()}`, ...LIMITS });
  const customer = await createCustomer(bench.ctx, {
    projectId: project.projectId,
    externalId: 'acme',
  });
  const customerPlan = await createCustomerPlan(bench.ctx, {
    projectId: project.projectId,
    name: 'Starter',
  });
  const bystander = await makeOwner(bench.ctx);
  const session = await startSession(bench.ctx, { ...SESSION, userId: bystander });
  const invitation = kept(mintInvitation(randomBytes));
  const invited = await createInvitation(bench.ctx, {
    ...invitationTo(project),
    token: invitation,
  });
  const destination = await makeDestination(bench.ctx, project.projectId, {
    signingSecret: signingSecret(),
  });
  return {
    project,
    key,
    policyId: expectKind(policy, 'created').policyId,
    passwordHash,
    planId: expectKind(plan, 'created').planId,
    customerId: expectKind(customer, 'created').customer.customerId,
    customerPlanId: expectKind(customerPlan, 'created').plan.planId,
    bystander,
    sessionId: session!.sessionId,
    secured: await makeSecured(passwordHash),
    enrolled: await enroll(bystander),
    memberId: await addMember(bench, project.projectId, 'viewer'),
    invitationId: expectKind(invited, 'created').invitationId,
    invitation,
    mail: await makeMail(project.projectId),
    destination,
    claimed: await claim(destination),
  };
}

/** A URL may hold a token, which is a secret too. */
const WEBHOOK = {
  kind: 'webhook',
  address: 'https://hooks.example.com/t/secret-token',
  description: '',
  eventTypes: ['api_key.revoked'],
  problemOfUrl: () => null,
} as const;
secrets.push('secret-token');

function signingSecret(): Buffer {
  const secret = randomBytes(24);
  secrets.push(secret.toString('hex'), secret.toString('base64'));
  return secret;
}

/** Queues a test and claims it. */
async function claim(destination: AlertDestinationRef): Promise<ClaimedDelivery> {
  await sendTestAlert(bench.ctx, destination);
  const claimed = await claimAlertDeliveries(bench.db, claimAs({ most: 100 }));
  return claimed.find(({ destinationId }) => destinationId === destination.destinationId)!;
}
/** A mail address that is asked for confirmation, and the digest of its link. */
async function makeMail(projectId: string): Promise<MadeDestination & { link: Buffer }> {
  const address = `${randomUUID()}@example.com`;
  const made = await makeDestination(bench.ctx, projectId, { kind: 'mail', address });
  const link = kept(mintMailLink(randomBytes)).digest;
  await bench.db.sql`
    insert into alert_mails (token_digest, purpose, owner_id, project_id, address_digest)
    select ${link}, 'confirmation', owner_id, id, sha256(convert_to(${address}::text, 'UTF8'))
    from projects where id = ${projectId}`;
  return { ...made, link };
}
const LOST = { kind: 'failed', status: 410, error: 'gone', retryAfterSeconds: null } as const;

const invitationTo = ({ projectId, ownerId }: MadeProject) =>
  ({ projectId, invitedBy: ownerId, role: 'developer', label: 'Ana' }) as const;

const secretCreatedAt = async ({ db }: VerbContext, { projectId }: MadeProject) =>
  (await getProject(db, projectId))!.secretCreatedAt;

const rotateKey = (ctx: VerbContext, { minted, ...ref }: MadeKey) =>
  rotateApiKey(ctx, {
    ...ref,
    keyPrefix: minted.prefix,
    overlapSeconds: 60,
    mint: () => kept(mintApiKey(randomBytes)),
  });

type Mutate = (ctx: VerbContext, scene: Scene) => Promise<unknown>;

/**
 * Every verb that changes something, the actions that it must write, and what has to be there before
 * it can change anything. What follows a comma is no part of the verb's name.
 */
const MUTATIONS: Record<string, [run: Mutate, actions: string[], prepare?: Mutate]> = {
  createProject: [
    (ctx, { project }) =>
      createProject(ctx, {
        ownerId: project.ownerId,
        name: `project-${randomUUID()}`,
        secret: kept(mintProjectSecret(randomBytes)),
      }),
    ['project.create'],
  ],
  updateProject: [
    (ctx, { project }) => updateProject(ctx, { projectId: project.projectId, name: randomUUID() }),
    ['project.update'],
  ],
  rotateProjectSecret: [
    async (ctx, { project }) =>
      rotateProjectSecret(ctx, {
        projectId: project.projectId,
        secret: kept(mintProjectSecret(randomBytes)),
        replaces: await secretCreatedAt(ctx, project),
        dropsPrevious: false,
      }),
    ['project.rotate_secret'],
  ],
  endPreviousSecret: [
    async (ctx, { project }) =>
      endPreviousSecret(ctx, {
        projectId: project.projectId,
        current: await secretCreatedAt(ctx, project),
      }),
    ['project.end_previous_secret'],
    async (ctx, { project }) =>
      rotateProjectSecret(ctx, {
        projectId: project.projectId,
        secret: kept(mintProjectSecret(randomBytes)),
        replaces: await secretCreatedAt(ctx, project),
        dropsPrevious: false,
      }),
  ],
  setSubscription: [
    (ctx, { project }) =>
      setSubscription(ctx, { projectId: project.projectId, status: 'past_due' }),
    ['subscription.set'],
  ],
  createPolicy: [
    (ctx, { project }) =>
      createPolicy(ctx, { projectId: project.projectId, method: '*', pathPattern: '*' }),
    ['policy.create'],
  ],
  createPolicies: [
    (ctx, { project }) =>
      createPolicies(ctx, {
        projectId: project.projectId,
        rules: [{ method: 'GET', pathPattern: '/v1/orders*' }],
      }),
    ['policy.create'],
  ],
  updatePolicy: [
    (ctx, { project, policyId }) =>
      updatePolicy(ctx, {
        projectId: project.projectId,
        policyId,
        seen: { method: 'GET', pathPattern: '/v1/reports*' },
        method: 'PUT',
        pathPattern: '/v1/x',
      }),
    ['policy.update'],
  ],
  deletePolicy: [
    (ctx, { project, policyId }) => deletePolicy(ctx, { projectId: project.projectId, policyId }),
    ['policy.delete'],
  ],
  replacePolicies: [
    (ctx, { project }) =>
      replacePolicies(ctx, {
        projectId: project.projectId,
        rules: [{ method: 'GET', pathPattern: '/v1/other' }],
      }),
    ['policy.delete', 'policy.create'],
  ],
  createApiKey: [
    (ctx, { project }) =>
      createApiKey(ctx, {
        projectId: project.projectId,
        displayName: 'Job',
        mint: () => kept(mintApiKey(randomBytes)),
      }),
    ['api_key.create'],
  ],
  createApiKeys: [
    (ctx, { project: { projectId } }) =>
      createApiKeys(ctx, {
        projectId,
        mint: () => kept(mintApiKey(randomBytes)),
        apiKeys: [{ displayName: 'Job' }, { displayName: '' }, { displayName: 'Other job' }],
      }),
    ['api_key.create', 'api_key.create'],
  ],
  importApiKeys: [
    (ctx, { project: { projectId } }) => {
      const { digest } = kept(mintApiKey(randomBytes));
      const key = { digest, displayName: 'Job', keyPrefix: 'sk_' };
      return importApiKeys(ctx, { projectId, keys: [key, { ...key, displayName: '' }] });
    },
    ['project.import_keys'],
  ],
  describeApiKey: [
    (ctx, { key: { projectId, apiKeyId } }) =>
      describeApiKey(ctx, { projectId, apiKeyId, note: 'Lost on Friday' }),
    ['api_key.update'],
  ],
  disableApiKey: [(ctx, { key }) => disableApiKey(ctx, key), ['api_key.disable']],
  enableApiKey: [
    (ctx, { key }) => enableApiKey(ctx, key),
    ['api_key.enable'],
    (ctx, { key }) => disableApiKey(ctx, key),
  ],
  changeApiKeys: [
    (ctx, { key: { projectId, apiKeyId } }) =>
      changeApiKeys(ctx, { projectId, apiKeyIds: [apiKeyId], change: { kind: 'archive' } }),
    ['api_key.archive'],
  ],
  rotateApiKey: [(ctx, { key }) => rotateKey(ctx, key), ['api_key.rotate']],
  endPreviousKeySecret: [
    (ctx, { key }) => endPreviousKeySecret(ctx, key),
    ['api_key.end_previous_secret'],
    (ctx, { key }) => rotateKey(ctx, key),
  ],
  revokeApiKey: [(ctx, { key }) => revokeApiKey(ctx, key), ['api_key.revoke']],
  archiveApiKey: [(ctx, { key }) => archiveApiKey(ctx, key), ['api_key.archive']],
  putPlan: [(ctx) => putPlan(ctx, { name: `plan-${randomUUID()}`, ...LIMITS }), ['plan.create']],
  createUser: [
    (ctx, { passwordHash }) =>
      createUser(ctx, { email: `${randomUUID()}@example.com`, passwordHash }),
    ['user.create'],
  ],
  signUp: [
    (ctx, { passwordHash }) =>
      signUp(ctx, {
        email: `${randomUUID()}@example.com`,
        passwordHash,
        identity: { provider: 'github', subject: randomUUID() },
        policy: 'open',
        setupTokenDigest: null,
      }),
    ['user.create'],
  ],
  createSetupToken: [
    (ctx) =>
      withoutAdministrators(ctx, (tx) =>
        createSetupToken(tx, { tokenDigest: kept(mintSetupToken(randomBytes)).digest }),
      ),
    ['setup_token.create'],
  ],
  setPassword: [
    (ctx, { project, passwordHash }) => setPassword(ctx, { userId: project.ownerId, passwordHash }),
    ['user.set_password'],
  ],
  createPlan: [
    (ctx) => createPlan(ctx, { name: `plan-${randomUUID()}`, ...LIMITS }),
    ['plan.create'],
  ],
  createCustomer: [
    (ctx, { project: { projectId } }) => createCustomer(ctx, { projectId, externalId: 'new' }),
    ['customer.create'],
  ],
  updateCustomer: [
    (ctx, { project: { projectId }, customerId }) =>
      updateCustomer(ctx, { projectId, customerId, billingDay: 2 }),
    ['customer.update'],
  ],
  suspendCustomer: [
    (ctx, { project: { projectId }, customerId }) =>
      suspendCustomer(ctx, { projectId, customerId }),
    ['customer.suspend'],
  ],
  resumeCustomer: [
    (ctx, { project: { projectId }, customerId }) => resumeCustomer(ctx, { projectId, customerId }),
    ['customer.resume'],
    (ctx, { project: { projectId }, customerId }) =>
      suspendCustomer(ctx, { projectId, customerId }),
  ],
  updateApiKey: [
    (ctx, { key: { projectId, apiKeyId } }) =>
      updateApiKey(ctx, {
        projectId,
        apiKeyId,
        displayName: 'Other',
        externalCustomerId: 'acme',
        scopes: ['read'],
        expiresAt: new Date('2027-01-01Z'),
        dailyQuota: 7,
      }),
    [
      'api_key.update',
      'api_key.move',
      'api_key.set_scopes',
      'api_key.set_expiry',
      'api_key.set_limits',
    ],
  ],
  createCustomerPlan: [
    (ctx, { project: { projectId } }) =>
      createCustomerPlan(ctx, { projectId, name: 'Team', scopes: ['read'] }),
    ['customer_plan.create'],
  ],
  updateCustomerPlan: [
    (ctx, { project: { projectId }, customerPlanId: planId }) =>
      updateCustomerPlan(ctx, { projectId, planId, dailyQuota: 7 }),
    ['customer_plan.update'],
  ],
  putCustomerPlan: [
    (ctx, { project: { projectId } }) => putCustomerPlan(ctx, { projectId, name: 'Pro' }),
    ['customer_plan.create'],
  ],
  deleteCustomerPlan: [
    (ctx, { project: { projectId }, customerPlanId: planId }) =>
      deleteCustomerPlan(ctx, { projectId, planId }),
    ['customer_plan.delete'],
  ],
  updatePlan: [(ctx, { planId }) => updatePlan(ctx, { planId, monthlyQuota: 7 }), ['plan.update']],
  deletePlan: [(ctx, { planId }) => deletePlan(ctx, { planId }), ['plan.delete']],
  deleteProject: [(ctx, { project }) => deleteProject(ctx, project), ['project.delete']],
  setAdministrator: [
    (ctx, { bystander }) => setAdministrator(ctx, { userId: bystander, isAdministrator: true }),
    ['user.update'],
  ],
  deleteUser: [(ctx, { bystander }) => deleteUser(ctx, { userId: bystander }), ['user.delete']],
  setRetention: [(ctx) => setRetention(ctx, { usageDays: 31, auditDays: null }), ['retention.set']],
  createInvitation: [
    (ctx, { project }) =>
      createInvitation(ctx, { ...invitationTo(project), token: kept(mintInvitation(randomBytes)) }),
    ['invitation.create'],
  ],
  revokeInvitation: [
    (ctx, { project: { projectId }, invitationId }) =>
      revokeInvitation(ctx, { projectId, invitationId }),
    ['invitation.revoke'],
  ],
  acceptInvitation: [
    (ctx, { invitation, bystander }) =>
      acceptInvitation(ctx, {
        tokenDigest: invitation.digest,
        userId: bystander,
        email: 'ana@example.com',
      }),
    ['invitation.accept'],
  ],
  setMemberRole: [
    (ctx, { project: { projectId }, memberId }) =>
      setMemberRole(ctx, { projectId, userId: memberId, role: 'developer' }),
    ['member.set_role'],
  ],
  removeMember: [
    (ctx, { project: { projectId }, memberId }) =>
      removeMember(ctx, { projectId, userId: memberId }),
    ['member.remove'],
  ],
  leaveProject: [
    (ctx, { project: { projectId }, memberId }) =>
      leaveProject(ctx, { projectId, userId: memberId }),
    ['member.leave'],
  ],
  transferProject: [
    (ctx, { project: { projectId, name }, memberId }) =>
      transferProject(ctx, { projectId, name, newOwnerId: memberId }),
    ['project.transfer'],
  ],
  setEmail: [
    (ctx, { bystander }) =>
      setEmail(ctx, {
        userId: bystander,
        email: `${randomUUID()}@example.com`,
        sessionVersion: 0,
      }),
    ['user.update'],
  ],
  setTimeZone: [
    (ctx, { bystander }) =>
      setTimeZone(ctx, { userId: bystander, timeZone: 'Europe/Berlin', sessionVersion: 0 }),
    ['user.update'],
  ],
  endSessionOf: [
    (ctx, { bystander, sessionId }) => endSessionOf(ctx, { userId: bystander, sessionId }),
    ['user.end_session'],
  ],
  confirmAuthenticator: [
    (ctx, { bystander, enrolled }) => confirmAuthenticator(ctx, firstCode(bystander, enrolled)),
    ['user.add_second_factor'],
  ],
  replaceRecoveryCodes: [
    (ctx, { secured: { userId } }) =>
      replaceRecoveryCodes(ctx, {
        ...PROVEN,
        userId,
        factor: { kind: 'step', step: 1_001 },
        recoveryDigests: [randomBytes(32)],
      }),
    ['user.replace_recovery_codes'],
  ],
  turnOffSecondFactor: [
    (ctx, { secured: { userId } }) =>
      turnOffSecondFactor(ctx, { ...PROVEN, userId, factor: { kind: 'step', step: 1_001 } }),
    ['user.remove_second_factor'],
  ],
  removeSecondFactors: [
    (ctx, { secured: { userId } }) => removeSecondFactors(ctx, { userId }),
    ['user.remove_second_factor', 'user.revoke_access_token'],
  ],
  addPasskey: [
    (ctx, { bystander }) =>
      addPasskey(ctx, { ...PROVEN, userId: bystander, ...newPasskey('Phone') }),
    ['user.add_passkey'],
  ],
  renamePasskey: [
    (ctx, { secured: { userId, passkeyId } }) =>
      renamePasskey(ctx, { userId, passkeyId, name: 'Old laptop' }),
    ['user.rename_passkey'],
  ],
  removePasskey: [
    (ctx, { secured: { userId, passkeyId } }) =>
      removePasskey(ctx, { ...PROVEN, userId, passkeyId }),
    ['user.remove_passkey'],
  ],
  removePasskeys: [
    (ctx, { secured: { userId } }) => removePasskeys(ctx, { userId }),
    ['user.remove_passkey'],
  ],
  createAccessToken: [
    (ctx, { bystander }) => createAccessToken(ctx, newToken(bystander)),
    ['user.create_access_token'],
  ],
  revokeAccessToken: [
    (ctx, { secured: { userId, tokenId } }) => revokeAccessToken(ctx, { userId, tokenId }),
    ['user.revoke_access_token'],
  ],
  revokeAccessTokens: [
    (ctx, { secured: { userId } }) => revokeAccessTokens(ctx, { userId }),
    ['user.revoke_access_token'],
  ],
  createPasswordReset: [
    (ctx, { secured: { userId, email } }) =>
      createPasswordReset(ctx, {
        userId,
        email,
        to: 'mail',
        token: kept(mintPasswordReset(randomBytes)),
      }),
    ['user.create_password_reset'],
  ],
  usePasswordReset: [
    (ctx, { secured: { reset }, passwordHash }) =>
      usePasswordReset(ctx, { tokenDigest: reset.digest, passwordHash }),
    [
      'user.set_password',
      'user.use_password_reset',
      'user.remove_passkey',
      'user.revoke_access_token',
    ],
  ],
  createAlertDestination: [
    (ctx, { project: { projectId } }) =>
      createAlertDestination(ctx, { ...WEBHOOK, projectId, signingSecret: signingSecret() }),
    ['alert_destination.create'],
  ],
  updateAlertDestination: [
    (ctx, { destination }) =>
      updateAlertDestination(ctx, {
        ...destination,
        description: 'On call',
        problemOfUrl: () => null,
      }),
    ['alert_destination.update'],
  ],
  rotateSigningSecret: [
    (ctx, { destination }) =>
      rotateSigningSecret(ctx, { ...destination, signingSecret: signingSecret() }),
    ['alert_destination.rotate_secret'],
  ],
  disableAlertDestination: [
    (ctx, { destination }) => disableAlertDestination(ctx, { ...destination, reason: 'user' }),
    ['alert_destination.disable'],
  ],
  enableAlertDestination: [
    (ctx, { destination }) => enableAlertDestination(ctx, destination),
    ['alert_destination.enable'],
    (ctx, { destination }) => disableAlertDestination(ctx, { ...destination, reason: 'user' }),
  ],
  deleteAlertDestination: [
    (ctx, { destination }) => deleteAlertDestination(ctx, destination),
    ['alert_destination.delete'],
  ],
  sendTestAlert: [
    (ctx, { destination }) => sendTestAlert(ctx, destination),
    ['alert_destination.test'],
  ],
  sendAlertAgain: [
    (ctx, { destination, claimed: { deliveryId } }) =>
      sendAlertAgain(ctx, { ...destination, deliveryId }),
    ['alert_destination.send_again'],
    (ctx, { claimed }) => recordAttempt(ctx, claimed, { ...LOST, isGone: false }),
  ],
  recordAttempt: [
    (ctx, { claimed }) => recordAttempt(ctx, claimed, { ...LOST, isGone: true }),
    ['alert_destination.disable'],
  ],
  sendConfirmation: [(ctx, { mail }) => sendConfirmation(ctx, mail), ['alert_destination.ask']],
  confirmAlertMail: [
    (ctx, { mail }) => confirmAlertMail(ctx, mail.link),
    ['alert_address.confirm'],
  ],
  unsubscribeAlertMail: [
    (ctx, { mail }) => unsubscribeAlertMail(ctx, mail.link),
    ['alert_address.unsubscribe'],
  ],
  setSecondFactorRule: [
    (ctx) => setSecondFactorRule(ctx, { isRequired: true }),
    ['second_factor.require'],
  ],
  'setSecondFactorRule, off': [
    (ctx) => setSecondFactorRule(ctx, { isRequired: false }),
    ['second_factor.release'],
    (ctx) => setSecondFactorRule(ctx, { isRequired: true }),
  ],
  startSession: [
    (ctx, { secured: { userId } }) => startSession(ctx, { ...SESSION, userId }),
    ['sign_in.succeed'],
  ],
  endSession: [(ctx, { sessionId }) => endSession(ctx, sessionId), ['sign_in.end']],
  recordRefusedSignIn: [
    (ctx, { bystander: userId }) => recordRefusedSignIn(ctx, { action: 'sign_in.refuse', userId }),
    ['sign_in.refuse'],
  ],
  signOutEverywhere: [
    (ctx, { project }) => signOutEverywhere(ctx, project.ownerId),
    ['user.sign_out_everywhere'],
  ],
};

/** Functions with a context that are part of other verbs, run them, or change no auditable fact. */
const WITHOUT_AUDIT = [
  'allOrNothing',
  'dryRun',
  'auditAccount',
  'changing',
  'changeApiKey',
  'changeLockedKeys',
  'auditIn',
  'inTransaction',
  'writeAudit',
  'writeAudits',
  'chargeAttempt',
  'forgiveAttempt',
  'chargePasswordChange',
  'forgivePasswordChange',
  'countAudit',
  'auditOwnAct',
  'startChallenge',
  'completeSecondFactor',
  'completePasskeySignIn',
  'enrollAuthenticator',
  'chargeSecondFactor',
  'chargeSetupToken',
  'chargePasswordReset',
  'chargePasskeySignIn',
  'chargeAccountMail',
  'chargeAccountNotice',
  'chargeAlertAgain',
  'chargeAlertTest',
  'chargeConfirmation',
  'mayAsk',
];

/** Verbs that prove a user by a token, and act as that user. */
const ACTS_AS_ITS_USER = ['usePasswordReset', 'startSession', 'endSession'];

/** The exported functions of the package whose first argument is a context. */
function verbsInSource(): string[] {
  const source = fileURLToPath(new URL('../../../../packages/schema/src', import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const declaration =
    /export (?:async )?(?:function (\w+)(?:<\w+>)?|const (\w+) =)\s*\(\s*(?:tx: Executor,\s*)?ctx: VerbContext/g;
  return files
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(source, name), 'utf8').matchAll(declaration)])
    .map(([, named, assigned]) => named ?? assigned!);
}

async function newestAuditId({ orm }: VerbContext['db'] = bench.db): Promise<string> {
  const [row] = await orm.execute<{ id: string }>(
    sql`select coalesce(max(id), 0) as id from audit_log`,
  );
  return row!.id;
}

type AuditRow = Record<string, unknown> & { action: string; text: string };

const auditRowsAfter = (id: string, { orm }: VerbContext['db'] = bench.db) =>
  orm.execute<AuditRow>(
    sql`select l.*, l::text as text from audit_log l where id > ${id} order by id`,
  );

/** A digest of the rows of every table except the audit log. */
async function everythingElse({ orm }: VerbContext['db'] = bench.db): Promise<unknown> {
  return [
    ...(await orm.execute(sql`
      select tablename, query_to_xml(format(
        $$select md5(string_agg(t::text, ',' order by t::text)) from %I t$$, tablename
      ), true, false, '')::text as digest
      from pg_tables where schemaname = 'public' and tablename <> 'audit_log' order by 1`)),
  ];
}

/** Runs in a transaction that is rolled back, so that all verbs can have one scene. */
async function undone(run: (ctx: VerbContext) => Promise<void>): Promise<void> {
  const undo = new Error('undo');
  try {
    await bench.db.orm.transaction(async (orm) => {
      await run({ ...bench.ctx, db: { orm } });
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
}

let scene: Scene;
beforeAll(async () => {
  const passwordHash = await hashPassword('correct horse battery staple');
  secrets.push(passwordHash, 'correct horse battery staple');
  scene = await makeScene(passwordHash);
  await bench.db.sql`
    create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no audit row'; end $$`;
  await bench.db.sql`
    create trigger refuse before insert on audit_log for each row
    when (new.request_id = 'refused') execute function refuse()`;
});

/** The audit rows that were undone, as text. */
const undoneRows: string[] = [];

const OPERATOR = { kind: 'user', userId: randomUUID(), email: 'ops@example.com' } as const;

describe.each(Object.entries(MUTATIONS))('%s', (name, [mutate, actions, prepare]) => {
  test('changes nothing if its audit row cannot be written, or with an access token where no right is named', () =>
    undone(async (ctx) => {
      await prepare?.(ctx, scene);
      const before = await everythingElse(ctx.db);
      await expect(mutate({ ...ctx, requestId: 'refused' }, scene)).rejects.toMatchObject({
        cause: { message: 'no audit row' },
      });
      const actor = { ...OPERATOR, token: { tokenId: randomUUID(), name: 'CI' } };
      await expect(mutate({ ...ctx, actor }, scene)).rejects.toMatchObject({
        name: 'TokenRefusedError',
        reason: 'needs_session',
      });
      expect(await everythingElse(ctx.db)).toEqual(before);
    }));

  test(`records the actor, origin, owner and project: ${actions.join(', ')}`, () =>
    undone(async (ctx) => {
      await prepare?.(ctx, scene);
      const id = await newestAuditId(ctx.db);
      await mutate({ ...ctx, actor: OPERATOR }, scene);
      const rows = await auditRowsAfter(id, ctx.db);
      undoneRows.push(...rows.map((row) => row.text));
      expect(rows.map((row) => row.action)).toEqual(actions);
      for (const row of rows) {
        expect(row).toMatchObject({
          actor_kind: 'user',
          ...(ACTS_AS_ITS_USER.includes(name)
            ? { actor_id: row.target_id, actor_label: row.target_label }
            : { actor_id: OPERATOR.userId, actor_label: OPERATOR.email }),
          client_address: '192.0.2.7',
          request_id: 'request-1',
          target_kind: row.action.split('.')[0],
          target_id: expect.stringMatching(/^([0-9a-f-]{36}|retention|second_factor|setup_token)$/),
        });
        const ofProject =
          /^(project|subscription|policy|customer|customer_plan|api_key|alert_destination|alert_address|invitation|member)\./;
        expect(row.project_id !== null).toBe(ofProject.test(row.action));
        expect(row.owner_id !== null).toBe(
          !/^(plan|retention|second_factor|setup_token)\./.test(row.action),
        );
      }
    }));
});

describe('the audit log', () => {
  test('is written by every verb of the package', () => {
    const verbs = verbsInSource();
    const covered = Object.keys(MUTATIONS).map((name) => name.split(',')[0]!);
    const known = [...covered, ...WITHOUT_AUDIT];
    expect(verbs.filter((name) => !known.includes(name))).toEqual([]);
    expect(covered.filter((name) => !verbs.includes(name))).toEqual([]);
  });

  test('contains no secret, digest, password or password hash', async () => {
    // The tests above have run every verb.
    const rows = await bench.db.sql<{ text: string }[]>`select l::text as text from audit_log l`;
    const text = [...undoneRows, ...rows.map((row) => row.text)].join('\n');
    expect(secrets.length).toBeGreaterThan(100);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).not.toMatch(/argon2|\\x[0-9a-f]{64}/);
  });

  test('has the changed fields, before and after', async () => {
    const project = await makeProject(bench.ctx);
    const id = await newestAuditId();
    await setSubscription(bench.ctx, {
      projectId: project.projectId,
      status: 'canceled',
      currentPeriodEnd: new Date('2027-01-31T12:00:00Z'),
    });
    const [row] = await auditRowsAfter(id);
    expect(row!.before).toMatchObject({ status: 'active', currentPeriodEnd: null });
    expect(row!.after).toMatchObject({
      status: 'canceled',
      currentPeriodEnd: '2027-01-31T12:00:00.000Z',
    });
  });

  test.each([
    [{ kind: 'project_secret' } as const, 'project secret'],
    [{ kind: 'cli' } as const, 'ceiba CLI'],
    [{ kind: 'system' } as const, 'Ceiba'],
  ])('names the actor %o as %s', async (actor, label) => {
    const { projectId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId);
    const id = await newestAuditId();
    await revokeApiKey({ ...bench.ctx, actor }, key);
    expect(await auditRowsAfter(id)).toMatchObject([
      { actor_kind: actor.kind, actor_id: null, actor_label: label },
    ]);
  });

  test('outlives the project', async () => {
    const project = await makeProject(bench.ctx);
    await updateProject(bench.ctx, { projectId: project.projectId, name: randomUUID() });
    await bench.db.sql`delete from projects where id = ${project.projectId}`;
    const [row] = await bench.db.sql`
      select count(*)::int as count from audit_log where project_id = ${project.projectId}`;
    expect(row!.count).toBe(2);
  });
});

describe('several verbs in allOrNothing', () => {
  test('are all rolled back when one of them fails, with their audit rows', async () => {
    const project = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, project.projectId);
    const [before, id] = [await everythingElse(), await newestAuditId()];
    const failed = allOrNothing(bench.ctx, async (ctx) => {
      await revokeApiKey(ctx, key);
      await updateProject(ctx, { projectId: project.projectId, name: randomUUID() });
      throw new Error('the third step failed');
    });
    await expect(failed).rejects.toThrow('the third step failed');
    expect(await everythingElse()).toEqual(before);
    expect(await auditRowsAfter(id)).toEqual([]);
  });

  test('continue after a verb that refuses, which rolls back only itself', async () => {
    const project = await makeProject(bench.ctx);
    const other = await makeProject(bench.ctx, project.ownerId);
    const name = randomUUID();
    await allOrNothing(bench.ctx, async (ctx) => {
      const clash = { projectId: project.projectId, name: other.name };
      expect(await updateProject(ctx, clash)).toEqual({ kind: 'name_taken' });
      expect(await updateProject(ctx, { projectId: project.projectId, name })).toEqual({
        kind: 'updated',
      });
    });
    expect((await getProject(bench.db, project.projectId))?.name).toBe(name);
  });

  test('do not deadlock when they change the same rows in opposite orders, in 20 rounds', async () => {
    const [first, second] = [await makeProject(bench.ctx), await makeProject(bench.ctx)];
    const ids = [first.projectId, second.projectId];
    const touch = (order: string[]) =>
      allOrNothing(bench.ctx, async (ctx) => {
        for (const projectId of order) await updateProject(ctx, { projectId, name: randomUUID() });
      });
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([touch(ids), touch([...ids].reverse())]);
    }
  });
});
