/** The roles of a project, each with all rights of the one before. */
export const ROLES = ['viewer', 'developer', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Who may call an action or read a page: anyone, any user, administrators, or the users of the project
 * with at least this role.
 */
export type Access = 'anybody' | 'signed-in' | 'administrator' | Role;

export const isRole = (access: Access): access is Role =>
  (ROLES as readonly Access[]).includes(access);

/** Whether a role suffices. */
export const suffices = (role: Role, access: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(access);

/**
 * Every server action of the console, by file and name, with a call that succeeds for the right
 * users. The isolation tests make that call as other users.
 */
export interface World {
  /** A project of the owner, and its name. */
  projectId: string;
  projectName: string;
  /** A member of that project, and an open invitation. */
  memberId: string;
  invitationId: string;
  invitationSecret: string;
  /** A key and a policy of that project. */
  apiKeyId: string;
  policyId: string;
  /** A customer of that project, and a plan for customers that none has. */
  customerId: string;
  customerPlanId: string;
  /** A recorded decision of that project. */
  decisionId: string;
  /** A webhook of that project, and a delivery to it that failed. */
  destinationId: string;
  deliveryId: string;
  /** A plan that the project is not on. */
  planId: string;
  /** The owner of the project. */
  userId: string;
  /** A session of the owner. */
  sessionId: string;
  /** A passkey of the owner, and a link to reset the owner's password. */
  passkeyId: string;
  resetSecret: string;
  /** An access token of the owner. */
  tokenId: string;
  /** The link of an alert mail of that project. */
  mailSecret: string;
  /** When the project's secret was created, ISO 8601. */
  secretCreatedAt: string;
  /** The owner's e-mail address and password. */
  email: string;
  password: string;
}

export interface ActionCase {
  access: Access;
  /** It answers with what it found, which may be nothing. */
  isSearch?: true;
  /** The owner may not call it; the reason. */
  refusesOwner?: 'conflict';
  /** It needs a step before it, which its own test takes; the code with which it alone is refused. */
  refusesAlone?: 'conflict' | 'not_found';
  /** No user may call it in the stack under test; the reason. */
  refuses?: 'conflict' | 'not_found';
  /** The page that it is called from. */
  path: (world: World) => string;
  fields: (world: World) => Record<string, string>;
  /** The redirect of a success, if it redirects. */
  redirects?: RegExp;
}

let unique = 0;
const fresh = (word: string) => {
  unique += 1;
  return `${word} ${Date.now()} ${unique}`;
};

const AN_ALERT = { 'api_key.revoked': 'yes' };
const LIMITS = { activeKeyCap: '1', rateLimitPerMinute: '1', monthlyQuota: '1' };

/**
 * The actions of a file, which are called from one page and have one access.
 *
 * @param path where `{project}` is the address of the project
 */
function actionsOf(
  file: string,
  access: Access,
  path: string,
  actions: Record<string, ActionCase['fields'] | Omit<ActionCase, 'access' | 'path'>>,
): Record<string, ActionCase> {
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => [
      `${file} ${name}`,
      {
        access,
        path: ({ projectId }) => path.replace('{project}', `/projects/${projectId}`),
        ...(typeof action === 'function' ? { fields: action } : action),
      } satisfies ActionCase,
    ]),
  );
}

export const ACTIONS: Record<string, ActionCase> = {
  ...actionsOf('(account)/sign-up/actions.ts', 'anybody', '/sign-up', {
    createAccount: () => ({
      email: `${fresh('matrix').replaceAll(' ', '-')}@example.com`,
      password: 'a passphrase of some length',
    }),
  }),
  ...actionsOf('(account)/sign-up/confirm/actions.ts', 'anybody', '/sign-up/confirm', {
    readSignUp: {
      refusesAlone: 'not_found',
      fields: () => ({ signUpSecret: 'matrix' }),
    },
    finishSignUp: {
      refusesAlone: 'not_found',
      fields: () => ({ signUpSecret: 'matrix', password: 'a passphrase of some length' }),
    },
  }),
  ...actionsOf('(account)/confirm-email/actions.ts', 'anybody', '/confirm-email', {
    readConfirmation: {
      refusesAlone: 'not_found',
      fields: () => ({ confirmationSecret: 'matrix' }),
    },
  }),
  ...actionsOf('(account)/confirm-email/actions.ts', 'signed-in', '/confirm-email', {
    confirmEmail: {
      refusesAlone: 'not_found',
      fields: () => ({ confirmationSecret: 'matrix' }),
    },
  }),
  ...actionsOf('(account)/sign-up/actions.ts', 'anybody', '/sign-up', {
    proveSetup: () => ({ setupToken: 'not needed once there is an administrator' }),
  }),
  ...actionsOf('(account)/sign-in/actions.ts', 'anybody', '/sign-in', {
    beginPasskeySignIn: () => ({}),
  }),
  ...actionsOf('(account)/forgot-password/actions.ts', 'anybody', '/forgot-password', {
    requestReset: ({ email }) => ({ email }),
  }),
  ...actionsOf('(account)/alert-mail/actions.ts', 'anybody', '/alert-mail', {
    readAlertMail: ({ mailSecret }) => ({ mailSecret }),
    confirmAlerts: ({ mailSecret }) => ({ mailSecret }),
    unsubscribeFromAlerts: ({ mailSecret }) => ({ mailSecret }),
  }),
  ...actionsOf('(account)/reset-password/actions.ts', 'anybody', '/reset-password', {
    readReset: ({ resetSecret }) => ({ resetSecret }),
    setForgottenPassword: {
      redirects: /^\/sign-in/,
      fields: ({ resetSecret }) => ({ resetSecret, newPassword: 'a passphrase of some length' }),
    },
  }),
  ...actionsOf('(account)/join/actions.ts', 'anybody', '/join', {
    readInvitation: ({ invitationSecret }) => ({ invitationSecret }),
  }),
  ...actionsOf('(account)/join/actions.ts', 'signed-in', '/join', {
    acceptOffer: ({ invitationSecret }) => ({ invitationSecret }),
  }),
  ...actionsOf('(console)/account/actions.ts', 'signed-in', '/account', {
    changePassword: {
      redirects: /^\/sign-in/,
      fields: ({ password }) => ({ currentPassword: password, newPassword: password }),
    },
    changeEmail: ({ password }) => ({
      email: `${fresh('matrix').replaceAll(' ', '-')}@example.com`,
      currentPassword: password,
    }),
    changeTimeZone: () => ({ timeZone: 'Europe/Berlin' }),
  }),
  ...actionsOf('(console)/account/access-token-actions.ts', 'signed-in', '/account', {
    createToken: ({ password }) => ({
      name: fresh('Matrix'),
      access: 'write',
      reach: 'all',
      days: '7',
      currentPassword: password,
    }),
    revokeToken: ({ tokenId }) => ({ tokenId }),
  }),
  ...actionsOf('(console)/account/second-factor-actions.ts', 'signed-in', '/account', {
    setUpAuthenticator: ({ password }) => ({ currentPassword: password }),
    confirmAuthenticatorApp: {
      refusesAlone: 'conflict',
      fields: () => ({ code: '123456' }),
    },
    renewRecoveryCodes: {
      refusesAlone: 'conflict',
      fields: ({ password }) => ({ currentPassword: password, code: '123456' }),
    },
    turnOffAuthenticator: {
      refusesAlone: 'conflict',
      fields: ({ password }) => ({ currentPassword: password, code: '123456' }),
    },
  }),
  ...actionsOf('(console)/account/passkey-actions.ts', 'signed-in', '/account', {
    beginPasskey: ({ password }) => ({ name: 'Matrix', currentPassword: password }),
    finishPasskey: {
      refusesAlone: 'conflict',
      fields: () => ({ name: 'Matrix', answer: '{}' }),
    },
    renameOwnPasskey: ({ passkeyId }) => ({ passkeyId, name: fresh('Matrix') }),
    removeOwnPasskey: ({ passkeyId, password }) => ({ passkeyId, currentPassword: password }),
  }),
  ...actionsOf('(console)/account/actions.ts', 'signed-in', '/account', {
    endOneSession: ({ sessionId }) => ({ sessionId }),
    deleteAccount: {
      redirects: /^\/sign-in/,
      fields: ({ email, password }) => ({ confirmation: email, currentPassword: password }),
    },
    endEverySession: {
      redirects: /^\/sign-in/,
      fields: () => ({}),
    },
  }),
  ...actionsOf('(console)/find/actions.ts', 'signed-in', '/projects', {
    findElsewhere: { isSearch: true, fields: ({ decisionId }) => ({ q: decisionId }) },
  }),
  ...actionsOf('(console)/find/actions.ts', 'viewer', '{project}/keys', {
    findInProject: {
      isSearch: true,
      fields: ({ projectId, decisionId }) => ({ projectId, q: decisionId }),
    },
  }),
  ...actionsOf('(console)/projects/new/actions.ts', 'signed-in', '/projects/new', {
    createNewProject: () => ({ name: fresh('Matrix') }),
  }),
  ...actionsOf(
    '(console)/projects/[projectId]/keys/actions.ts',
    'developer',
    '{project}/keys/new',
    {
      createKey: ({ projectId }) => ({ projectId, displayName: fresh('Matrix'), expires: 'never' }),
    },
  ),
  ...actionsOf('(console)/projects/[projectId]/keys/actions.ts', 'developer', '{project}/keys', {
    setKeyExpiry: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyId,
      expires: 'at',
      expiresAt: '2030-01-31T12:00:00Z',
    }),
    setKeyLimits: ({ projectId, apiKeyId }) => ({ projectId, apiKeyId, monthlyQuota: '10' }),
    findChangeableKeys: ({ projectId }) => ({ projectId, filter: 'q=isolation' }),
    changeKeys: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyIds: apiKeyId,
      change: 'set_expiry',
      expires: 'never',
    }),
    describeKey: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyId,
      displayName: fresh('Matrix'),
      note: 'A note',
    }),
    disableKey: ({ projectId, apiKeyId }) => ({ projectId, apiKeyId }),
    enableKey: ({ projectId, apiKeyId }) => ({ projectId, apiKeyId }),
    revokeKey: ({ projectId, apiKeyId }) => ({ projectId, apiKeyId }),
    archiveKey: ({ projectId, apiKeyId }) => ({ projectId, apiKeyId }),
    replaceKey: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyId,
      keyPrefix: 'ceiba_isolated',
      overlapSeconds: '3600',
    }),
    endOldKeySecret: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyId,
      keyPrefix: 'ceiba_isolated',
    }),
    setKeyMetadata: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyId,
      metadata: '{"matrix": "yes"}',
    }),
    setKeyScopes: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyId,
      restricts: 'yes',
      scopes: 'matrix:read',
    }),
    moveKey: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyId,
      externalCustomerId: fresh('matrix'),
    }),
  }),
  ...actionsOf(
    '(console)/projects/[projectId]/customers/actions.ts',
    'developer',
    '{project}/customers/new',
    {
      createNewCustomer: ({ projectId }) => ({
        projectId,
        externalId: fresh('matrix'),
        billingDay: '1',
      }),
    },
  ),
  ...actionsOf(
    '(console)/projects/[projectId]/customers/actions.ts',
    'developer',
    '{project}/customers',
    {
      describeCustomer: ({ projectId, customerId }) => ({
        projectId,
        customerId,
        externalId: fresh('matrix'),
        name: 'Matrix',
        metadata: '{"crm": "42"}',
      }),
      setCustomerPlan: ({ projectId, customerId }) => ({
        projectId,
        customerId,
        plan: 'Isolation plan',
        subscriptionStatus: 'trialing',
      }),
      setCustomerLimits: ({ projectId, customerId }) => ({
        projectId,
        customerId,
        dailyQuota: '10',
      }),
      setBillingDay: ({ projectId, customerId }) => ({ projectId, customerId, billingDay: '15' }),
      suspend: ({ projectId, customerId }) => ({ projectId, customerId }),
      resume: ({ projectId, customerId }) => ({ projectId, customerId }),
      findCustomers: ({ projectId }) => ({ projectId, q: 'isolation' }),
      findCustomerPlans: ({ projectId }) => ({ projectId, q: 'isolation' }),
    },
  ),
  ...actionsOf('(console)/projects/[projectId]/plans/actions.ts', 'owner', '{project}/plans', {
    addCustomerPlan: ({ projectId }) => ({ projectId, name: fresh('Matrix') }),
    editCustomerPlan: ({ projectId, customerPlanId }) => ({
      projectId,
      planId: customerPlanId,
      name: fresh('Matrix'),
      monthlyQuota: '10',
      restricts: 'yes',
      scopes: 'matrix:read',
    }),
    removeCustomerPlan: ({ projectId, customerPlanId }) => ({
      projectId,
      planId: customerPlanId,
    }),
  }),
  ...actionsOf(
    '(console)/projects/[projectId]/policies/actions.ts',
    'developer',
    '{project}/policies/new',
    {
      createNewPolicy: ({ projectId }) => ({
        projectId,
        method: 'GET',
        pathPattern: '/v1/matrix*',
      }),
    },
  ),
  ...actionsOf(
    '(console)/projects/[projectId]/policies/actions.ts',
    'developer',
    '{project}/policies',
    {
      changePolicy: ({ projectId, policyId }) => ({
        projectId,
        policyId,
        seenMethod: 'GET',
        seenPathPattern: '/v1/isolation',
        scopes: 'matrix:read',
        cost: '5',
        method: 'POST',
        pathPattern: '/v1/matrix*',
      }),
      addRoutes: ({ projectId }) => ({ projectId, routes: 'GET /v1/routes/:id' }),
      removePolicy: ({ projectId, policyId }) => ({ projectId, policyId }),
    },
  ),
  ...actionsOf(
    '(console)/projects/[projectId]/simulator/actions.ts',
    'viewer',
    '{project}/simulator',
    {
      simulateCall: ({ projectId, apiKeyId }) => ({
        projectId,
        apiKeyId,
        source: 'chosen',
        method: 'GET',
        path: '/v1/matrix',
      }),
      findKeys: ({ projectId }) => ({ projectId, q: 'isolation' }),
    },
  ),
  ...actionsOf(
    '(console)/projects/[projectId]/settings/actions.ts',
    'owner',
    '{project}/settings',
    {
      renameProject: ({ projectId }) => ({ projectId, name: fresh('Matrix') }),
      setKeyPrefix: ({ projectId }) => ({ projectId, keyPrefix: 'matrix_' }),
      setDefaultKeyRate: ({ projectId }) => ({ projectId, defaultKeyRateLimitPerMinute: '60' }),
      setRequestLog: ({ projectId }) => ({
        projectId,
        loggedAllowsPercent: '50',
        logsPaths: 'yes',
      }),
      rotateSecret: ({ projectId, secretCreatedAt }) => ({ projectId, replaces: secretCreatedAt }),
      endOldSecret: ({ projectId, secretCreatedAt }) => ({ projectId, current: secretCreatedAt }),
      removeProject: {
        redirects: /^\/projects/,
        fields: ({ projectId, projectName }) => ({ projectId, confirmation: projectName }),
      },
      transfer: ({ projectId, projectName, memberId }) => ({
        projectId,
        newOwnerId: memberId,
        confirmation: projectName,
      }),
    },
  ),
  ...actionsOf('(console)/projects/[projectId]/members/actions.ts', 'owner', '{project}/members', {
    inviteMember: ({ projectId }) => ({ projectId, label: 'Matrix', role: 'developer' }),
    withdrawInvitation: ({ projectId, invitationId }) => ({ projectId, invitationId }),
    changeRole: ({ projectId, memberId }) => ({ projectId, userId: memberId, role: 'developer' }),
    endMembership: ({ projectId, memberId }) => ({ projectId, userId: memberId }),
  }),
  ...actionsOf('(console)/projects/[projectId]/members/actions.ts', 'viewer', '{project}/members', {
    leave: {
      refusesOwner: 'conflict',
      redirects: /^\/projects/,
      fields: ({ projectId }) => ({ projectId }),
    },
  }),
  ...actionsOf(
    '(console)/projects/[projectId]/alerts/actions.ts',
    'developer',
    '{project}/alerts',
    {
      addWebhook: ({ projectId }) => ({
        projectId,
        address: 'https://isolation.invalid/',
        ...AN_ALERT,
      }),
      addMailAddress: {
        // The stack under test has no mail server.
        refuses: 'conflict',
        fields: ({ projectId }) => ({ projectId, address: 'ops@example.com', ...AN_ALERT }),
      },
      changeDestination: ({ projectId, destinationId }) => ({
        projectId,
        destinationId,
        address: 'https://isolation.invalid/v1/isolation',
        description: fresh('Matrix'),
        ...AN_ALERT,
      }),
      rotateSigning: ({ projectId, destinationId }) => ({ projectId, destinationId }),
      sendAgain: ({ projectId, destinationId, deliveryId }) => ({
        projectId,
        destinationId,
        deliveryId,
      }),
      disableDestination: ({ projectId, destinationId }) => ({ projectId, destinationId }),
      enableDestination: ({ projectId, destinationId }) => ({ projectId, destinationId }),
      sendTest: ({ projectId, destinationId }) => ({ projectId, destinationId }),
      askForConfirmation: {
        // The destination is a webhook, which has nothing to confirm.
        refuses: 'not_found',
        fields: ({ projectId, destinationId }) => ({ projectId, destinationId }),
      },
      removeDestination: {
        redirects: /^\/projects/,
        fields: ({ projectId, destinationId }) => ({ projectId, destinationId }),
      },
    },
  ),
  ...actionsOf(
    '(console)/projects/[projectId]/subscription/actions.ts',
    'owner',
    '{project}/subscription',
    {
      findPlans: ({ projectId }) => ({ projectId, q: 'pro' }),
      changePlan: ({ projectId, planId }) => ({ projectId, planId }),
      changeStatus: ({ projectId }) => ({ projectId, status: 'canceled' }),
      changePeriodEnd: ({ projectId }) => ({
        projectId,
        ends: 'at',
        currentPeriodEnd: '2030-01-31T12:00:00.000Z',
      }),
    },
  ),
  ...actionsOf('(console)/admin/actions.ts', 'administrator', '/admin', {
    addPlan: () => ({ name: fresh('Matrix'), ...LIMITS }),
    editPlan: ({ planId }) => ({ planId, name: fresh('Matrix'), ...LIMITS }),
    removePlan: ({ planId }) => ({ planId }),
    changeAdministrator: ({ userId, password }) => ({
      userId,
      isAdministrator: 'yes',
      currentPassword: password,
    }),
    createPasswordLink: ({ userId, password }) => ({ userId, currentPassword: password }),
    removeFactors: ({ userId, password }) => ({ userId, currentPassword: password }),
    removeUser: ({ userId, email, password }) => ({
      userId,
      confirmation: email,
      currentPassword: password,
    }),
    // Optional already, so that nothing changes for other tests.
    saveSecondFactorRule: ({ password }) => ({ isRequired: 'no', currentPassword: password }),
    saveRetention: {
      // The longest retention, so that nothing is deleted.
      fields: () => ({ usageDays: '3650', auditDays: '3650', decisionDays: '90' }),
    },
  }),
};
