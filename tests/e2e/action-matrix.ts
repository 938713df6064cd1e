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
  refuses?: 'conflict';
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

const onProjectPage = (page: string, access: Role) => ({
  access,
  path: ({ projectId }: World) => `/projects/${projectId}/${page}`,
});

const ofAdministrators = { access: 'administrator' as const, path: () => '/admin' };
const AN_ALERT = { 'api_key.revoked': 'yes' };
const LIMITS = { activeKeyCap: '1', rateLimitPerMinute: '1', monthlyQuota: '1' };

export const ACTIONS: Record<string, ActionCase> = {
  '(account)/sign-up/actions.ts createAccount': {
    access: 'anybody',
    path: () => '/sign-up',
    fields: () => ({
      email: `${fresh('matrix').replaceAll(' ', '-')}@example.com`,
      password: 'a passphrase of some length',
    }),
  },
  '(account)/sign-up/confirm/actions.ts readSignUp': {
    access: 'anybody',
    refusesAlone: 'not_found',
    path: () => '/sign-up/confirm',
    fields: () => ({ signUpSecret: 'matrix' }),
  },
  '(account)/sign-up/confirm/actions.ts finishSignUp': {
    access: 'anybody',
    refusesAlone: 'not_found',
    path: () => '/sign-up/confirm',
    fields: () => ({ signUpSecret: 'matrix', password: 'a passphrase of some length' }),
  },
  '(account)/confirm-email/actions.ts readConfirmation': {
    access: 'anybody',
    refusesAlone: 'not_found',
    path: () => '/confirm-email',
    fields: () => ({ confirmationSecret: 'matrix' }),
  },
  '(account)/confirm-email/actions.ts confirmEmail': {
    access: 'signed-in',
    refusesAlone: 'not_found',
    path: () => '/confirm-email',
    fields: () => ({ confirmationSecret: 'matrix' }),
  },
  '(account)/sign-up/actions.ts proveSetup': {
    access: 'anybody',
    path: () => '/sign-up',
    fields: () => ({ setupToken: 'not needed once there is an administrator' }),
  },
  '(account)/sign-in/actions.ts beginPasskeySignIn': {
    access: 'anybody',
    path: () => '/sign-in',
    fields: () => ({}),
  },
  '(account)/forgot-password/actions.ts requestReset': {
    access: 'anybody',
    path: () => '/forgot-password',
    fields: ({ email }) => ({ email }),
  },
  '(account)/alert-mail/actions.ts readAlertMail': {
    access: 'anybody',
    path: () => '/alert-mail',
    fields: ({ mailSecret }) => ({ mailSecret }),
  },
  '(account)/alert-mail/actions.ts confirmAlerts': {
    access: 'anybody',
    path: () => '/alert-mail',
    fields: ({ mailSecret }) => ({ mailSecret }),
  },
  '(account)/alert-mail/actions.ts unsubscribeFromAlerts': {
    access: 'anybody',
    path: () => '/alert-mail',
    fields: ({ mailSecret }) => ({ mailSecret }),
  },
  '(account)/reset-password/actions.ts readReset': {
    access: 'anybody',
    path: () => '/reset-password',
    fields: ({ resetSecret }) => ({ resetSecret }),
  },
  '(account)/reset-password/actions.ts setForgottenPassword': {
    access: 'anybody',
    path: () => '/reset-password',
    fields: ({ resetSecret }) => ({ resetSecret, newPassword: 'a passphrase of some length' }),
    redirects: /^\/sign-in/,
  },
  '(account)/join/actions.ts readInvitation': {
    access: 'anybody',
    path: () => '/join',
    fields: ({ invitationSecret }) => ({ invitationSecret }),
  },
  '(account)/join/actions.ts acceptOffer': {
    access: 'signed-in',
    path: () => '/join',
    fields: ({ invitationSecret }) => ({ invitationSecret }),
  },
  '(console)/account/actions.ts changePassword': {
    access: 'signed-in',
    path: () => '/account',
    fields: ({ password }) => ({ currentPassword: password, newPassword: password }),
    redirects: /^\/sign-in/,
  },
  '(console)/account/actions.ts changeEmail': {
    access: 'signed-in',
    path: () => '/account',
    fields: ({ password }) => ({
      email: `${fresh('matrix').replaceAll(' ', '-')}@example.com`,
      currentPassword: password,
    }),
  },
  '(console)/account/second-factor-actions.ts setUpAuthenticator': {
    access: 'signed-in',
    path: () => '/account',
    fields: ({ password }) => ({ currentPassword: password }),
  },
  '(console)/account/second-factor-actions.ts confirmAuthenticatorApp': {
    access: 'signed-in',
    refusesAlone: 'conflict',
    path: () => '/account',
    fields: () => ({ code: '123456' }),
  },
  '(console)/account/second-factor-actions.ts renewRecoveryCodes': {
    access: 'signed-in',
    refusesAlone: 'conflict',
    path: () => '/account',
    fields: ({ password }) => ({ currentPassword: password, code: '123456' }),
  },
  '(console)/account/second-factor-actions.ts turnOffAuthenticator': {
    access: 'signed-in',
    refusesAlone: 'conflict',
    path: () => '/account',
    fields: ({ password }) => ({ currentPassword: password, code: '123456' }),
  },
  '(console)/account/passkey-actions.ts beginPasskey': {
    access: 'signed-in',
    path: () => '/account',
    fields: ({ password }) => ({ name: 'Matrix', currentPassword: password }),
  },
  '(console)/account/passkey-actions.ts finishPasskey': {
    access: 'signed-in',
    refusesAlone: 'conflict',
    path: () => '/account',
    fields: () => ({ name: 'Matrix', answer: '{}' }),
  },
  '(console)/account/passkey-actions.ts renameOwnPasskey': {
    access: 'signed-in',
    path: () => '/account',
    fields: ({ passkeyId }) => ({ passkeyId, name: fresh('Matrix') }),
  },
  '(console)/account/passkey-actions.ts removeOwnPasskey': {
    access: 'signed-in',
    path: () => '/account',
    fields: ({ passkeyId, password }) => ({ passkeyId, currentPassword: password }),
  },
  '(console)/account/actions.ts endOneSession': {
    access: 'signed-in',
    path: () => '/account',
    fields: ({ sessionId }) => ({ sessionId }),
  },
  '(console)/account/actions.ts deleteAccount': {
    access: 'signed-in',
    path: () => '/account',
    fields: ({ email, password }) => ({ confirmation: email, currentPassword: password }),
    redirects: /^\/sign-in/,
  },
  '(console)/account/actions.ts endEverySession': {
    access: 'signed-in',
    path: () => '/account',
    fields: () => ({}),
    redirects: /^\/sign-in/,
  },
  '(console)/search/actions.ts findElsewhere': {
    access: 'signed-in',
    path: () => '/projects',
    fields: () => ({ q: 'quota' }),
  },
  '(console)/search/actions.ts findInProject': {
    ...onProjectPage('keys', 'viewer'),
    isSearch: true,
    fields: ({ projectId, decisionId }) => ({ projectId, q: decisionId }),
  },
  '(console)/projects/new/actions.ts createNewProject': {
    access: 'signed-in',
    path: () => '/projects/new',
    fields: () => ({ name: fresh('Matrix') }),
  },
  '(console)/projects/[projectId]/keys/actions.ts createKey': {
    ...onProjectPage('keys/new', 'developer'),
    fields: ({ projectId }) => ({ projectId, displayName: fresh('Matrix'), expires: 'never' }),
  },
  '(console)/projects/[projectId]/keys/actions.ts setKeyExpiry': {
    ...onProjectPage('keys', 'developer'),
    fields: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyId,
      expires: 'at',
      expiresAt: '2030-01-31T12:00:00Z',
    }),
  },
  '(console)/projects/[projectId]/keys/actions.ts setKeyLimits': {
    ...onProjectPage('keys', 'developer'),
    fields: ({ projectId, apiKeyId }) => ({ projectId, apiKeyId, monthlyQuota: '10' }),
  },
  '(console)/projects/[projectId]/keys/actions.ts changeKeys': {
    ...onProjectPage('keys', 'developer'),
    fields: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyIds: apiKeyId,
      change: 'set_expiry',
      expires: 'never',
    }),
  },
  '(console)/projects/[projectId]/keys/actions.ts describeKey': {
    ...onProjectPage('keys', 'developer'),
    fields: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyId,
      displayName: fresh('Matrix'),
      note: 'A note',
    }),
  },
  '(console)/projects/[projectId]/keys/actions.ts disableKey': {
    ...onProjectPage('keys', 'developer'),
    fields: ({ projectId, apiKeyId }) => ({ projectId, apiKeyId }),
  },
  '(console)/projects/[projectId]/keys/actions.ts enableKey': {
    ...onProjectPage('keys', 'developer'),
    fields: ({ projectId, apiKeyId }) => ({ projectId, apiKeyId }),
  },
  '(console)/projects/[projectId]/keys/actions.ts revokeKey': {
    ...onProjectPage('keys', 'developer'),
    fields: ({ projectId, apiKeyId }) => ({ projectId, apiKeyId }),
  },
  '(console)/projects/[projectId]/keys/actions.ts archiveKey': {
    ...onProjectPage('keys', 'developer'),
    fields: ({ projectId, apiKeyId }) => ({ projectId, apiKeyId }),
  },
  '(console)/projects/[projectId]/policies/actions.ts createNewPolicy': {
    ...onProjectPage('policies/new', 'developer'),
    fields: ({ projectId }) => ({ projectId, method: 'GET', pathPattern: '/v1/matrix*' }),
  },
  '(console)/projects/[projectId]/policies/actions.ts changePolicy': {
    ...onProjectPage('policies', 'developer'),
    fields: ({ projectId, policyId }) => ({
      projectId,
      policyId,
      seenMethod: 'GET',
      seenPathPattern: '/v1/isolation',
      method: 'POST',
      pathPattern: '/v1/matrix*',
    }),
  },
  '(console)/projects/[projectId]/policies/actions.ts removePolicy': {
    ...onProjectPage('policies', 'developer'),
    fields: ({ projectId, policyId }) => ({ projectId, policyId }),
  },
  '(console)/projects/[projectId]/simulator/actions.ts simulateCall': {
    ...onProjectPage('simulator', 'developer'),
    fields: ({ projectId, apiKeyId }) => ({
      projectId,
      apiKeyId,
      source: 'chosen',
      method: 'GET',
      path: '/v1/matrix',
    }),
  },
  '(console)/projects/[projectId]/simulator/actions.ts findKeys': {
    ...onProjectPage('simulator', 'developer'),
    fields: ({ projectId }) => ({ projectId, q: 'isolation' }),
  },
  '(console)/projects/[projectId]/settings/actions.ts renameProject': {
    ...onProjectPage('settings', 'owner'),
    fields: ({ projectId }) => ({ projectId, name: fresh('Matrix') }),
  },
  '(console)/projects/[projectId]/settings/actions.ts setDefaultKeyRate': {
    ...onProjectPage('settings', 'owner'),
    fields: ({ projectId }) => ({ projectId, defaultKeyRateLimitPerMinute: '60' }),
  },
  '(console)/projects/[projectId]/settings/actions.ts setRequestLog': {
    ...onProjectPage('settings', 'owner'),
    fields: ({ projectId }) => ({ projectId, loggedAllowsPercent: '50', logsPaths: 'yes' }),
  },
  '(console)/projects/[projectId]/settings/actions.ts rotateSecret': {
    ...onProjectPage('settings', 'owner'),
    fields: ({ projectId, secretCreatedAt }) => ({ projectId, replaces: secretCreatedAt }),
  },
  '(console)/projects/[projectId]/settings/actions.ts endOldSecret': {
    ...onProjectPage('settings', 'owner'),
    fields: ({ projectId, secretCreatedAt }) => ({ projectId, current: secretCreatedAt }),
  },
  '(console)/projects/[projectId]/settings/actions.ts removeProject': {
    ...onProjectPage('settings', 'owner'),
    fields: ({ projectId, projectName }) => ({ projectId, confirmation: projectName }),
    redirects: /^\/projects/,
  },
  '(console)/projects/[projectId]/settings/actions.ts transfer': {
    ...onProjectPage('settings', 'owner'),
    fields: ({ projectId, projectName, memberId }) => ({
      projectId,
      newOwnerId: memberId,
      confirmation: projectName,
    }),
  },
  '(console)/projects/[projectId]/members/actions.ts inviteMember': {
    ...onProjectPage('members', 'owner'),
    fields: ({ projectId }) => ({ projectId, label: 'Matrix', role: 'developer' }),
  },
  '(console)/projects/[projectId]/members/actions.ts withdrawInvitation': {
    ...onProjectPage('members', 'owner'),
    fields: ({ projectId, invitationId }) => ({ projectId, invitationId }),
  },
  '(console)/projects/[projectId]/members/actions.ts changeRole': {
    ...onProjectPage('members', 'owner'),
    fields: ({ projectId, memberId }) => ({ projectId, userId: memberId, role: 'developer' }),
  },
  '(console)/projects/[projectId]/members/actions.ts endMembership': {
    ...onProjectPage('members', 'owner'),
    fields: ({ projectId, memberId }) => ({ projectId, userId: memberId }),
  },
  '(console)/projects/[projectId]/members/actions.ts leave': {
    ...onProjectPage('members', 'viewer'),
    refusesOwner: 'conflict',
    fields: ({ projectId }) => ({ projectId }),
    redirects: /^\/projects/,
  },
  '(console)/projects/[projectId]/alerts/actions.ts addWebhook': {
    ...onProjectPage('alerts', 'developer'),
    fields: ({ projectId }) => ({ projectId, address: 'https://isolation.invalid/', ...AN_ALERT }),
  },
  '(console)/projects/[projectId]/alerts/actions.ts addMailAddress': {
    ...onProjectPage('alerts', 'developer'),
    // The stack under test has no mail server.
    refuses: 'conflict',
    fields: ({ projectId }) => ({ projectId, address: 'ops@example.com', ...AN_ALERT }),
  },
  '(console)/projects/[projectId]/alerts/actions.ts changeDestination': {
    ...onProjectPage('alerts', 'developer'),
    fields: ({ projectId, destinationId }) => ({
      projectId,
      destinationId,
      address: 'https://isolation.invalid/v1/isolation',
      description: fresh('Matrix'),
      ...AN_ALERT,
    }),
  },
  '(console)/projects/[projectId]/alerts/actions.ts rotateSigning': {
    ...onProjectPage('alerts', 'developer'),
    fields: ({ projectId, destinationId }) => ({ projectId, destinationId }),
  },
  '(console)/projects/[projectId]/alerts/actions.ts sendAgain': {
    ...onProjectPage('alerts', 'developer'),
    fields: ({ projectId, destinationId, deliveryId }) => ({
      projectId,
      destinationId,
      deliveryId,
    }),
  },
  '(console)/projects/[projectId]/alerts/actions.ts disableDestination': {
    ...onProjectPage('alerts', 'developer'),
    fields: ({ projectId, destinationId }) => ({ projectId, destinationId }),
  },
  '(console)/projects/[projectId]/alerts/actions.ts enableDestination': {
    ...onProjectPage('alerts', 'developer'),
    fields: ({ projectId, destinationId }) => ({ projectId, destinationId }),
  },
  '(console)/projects/[projectId]/alerts/actions.ts sendTest': {
    ...onProjectPage('alerts', 'developer'),
    fields: ({ projectId, destinationId }) => ({ projectId, destinationId }),
  },
  '(console)/projects/[projectId]/alerts/actions.ts askForConfirmation': {
    ...onProjectPage('alerts', 'developer'),
    // The stack under test has no mail server.
    refuses: 'conflict',
    fields: ({ projectId, destinationId }) => ({ projectId, destinationId }),
  },
  '(console)/projects/[projectId]/alerts/actions.ts removeDestination': {
    ...onProjectPage('alerts', 'developer'),
    fields: ({ projectId, destinationId }) => ({ projectId, destinationId }),
    redirects: /^\/projects/,
  },
  '(console)/projects/[projectId]/subscription/actions.ts changePlan': {
    ...onProjectPage('subscription', 'owner'),
    fields: ({ projectId, planId }) => ({ projectId, planId }),
  },
  '(console)/projects/[projectId]/subscription/actions.ts changeStatus': {
    ...onProjectPage('subscription', 'owner'),
    fields: ({ projectId }) => ({ projectId, status: 'canceled' }),
  },
  '(console)/projects/[projectId]/subscription/actions.ts changePeriodEnd': {
    ...onProjectPage('subscription', 'owner'),
    fields: ({ projectId }) => ({
      projectId,
      ends: 'at',
      currentPeriodEnd: '2030-01-31T12:00:00.000Z',
    }),
  },
  '(console)/admin/actions.ts addPlan': {
    ...ofAdministrators,
    fields: () => ({ name: fresh('Matrix'), ...LIMITS }),
  },
  '(console)/admin/actions.ts editPlan': {
    ...ofAdministrators,
    fields: ({ planId }) => ({ planId, name: fresh('Matrix'), ...LIMITS }),
  },
  '(console)/admin/actions.ts removePlan': {
    ...ofAdministrators,
    fields: ({ planId }) => ({ planId }),
  },
  '(console)/admin/actions.ts changeAdministrator': {
    ...ofAdministrators,
    fields: ({ userId, password }) => ({
      userId,
      isAdministrator: 'yes',
      currentPassword: password,
    }),
  },
  '(console)/admin/actions.ts createPasswordLink': {
    ...ofAdministrators,
    fields: ({ userId, password }) => ({ userId, currentPassword: password }),
  },
  '(console)/admin/actions.ts removeFactors': {
    ...ofAdministrators,
    fields: ({ userId, password }) => ({ userId, currentPassword: password }),
  },
  '(console)/admin/actions.ts removeUser': {
    ...ofAdministrators,
    fields: ({ userId, email, password }) => ({
      userId,
      confirmation: email,
      currentPassword: password,
    }),
  },
  '(console)/admin/actions.ts saveRetention': {
    ...ofAdministrators,
    // The longest retention, so that nothing is deleted.
    fields: () => ({ usageDays: '3650', auditDays: '3650', decisionDays: '90' }),
  },
};
