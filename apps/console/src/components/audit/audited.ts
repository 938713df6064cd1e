import type { AuditAction } from '@ceiba/schema';
import type { AuditedKind } from '../../lib/entities.ts';

type VerbOf<Action, Kind extends string> = Action extends `${Kind}.${infer Verb}` ? Verb : never;

/** The audited changes of one kind of item. */
interface Audited<Verb extends string> {
  /** What the changes belong to, and so whose log has them. */
  of: 'project' | 'account' | 'installation';
  /** The middle part of the sentence of each action: actor, verb, target. */
  verbs: Readonly<Record<Verb, string>>;
}

/** Apart from `ENTITIES`, so that only the audit log loads them; each audited action needs its verb. */
export const AUDITED: { readonly [Kind in AuditedKind]: Audited<VerbOf<AuditAction, Kind>> } = {
  api_key: {
    of: 'project',
    verbs: {
      create: 'created key',
      set_expiry: 'set the expiry of key',
      set_limits: 'set the limits of key',
      set_scopes: 'set the scopes of key',
      move: 'moved key',
      update: 'changed key',
      rotate: 'replaced the secret of key',
      end_previous_secret: 'ended the previous secret of key',
      disable: 'disabled key',
      enable: 'enabled key',
      revoke: 'revoked key',
      archive: 'archived key',
    },
  },
  customer: {
    of: 'project',
    verbs: {
      create: 'created customer',
      update: 'changed customer',
      suspend: 'suspended customer',
      resume: 'resumed customer',
    },
  },
  policy: {
    of: 'project',
    verbs: { create: 'added policy', update: 'changed policy', delete: 'deleted policy' },
  },
  customer_plan: {
    of: 'project',
    verbs: {
      create: 'created customer plan',
      update: 'changed customer plan',
      delete: 'deleted customer plan',
    },
  },
  subscription: { of: 'project', verbs: { set: 'changed the subscription of' } },
  alert_destination: {
    of: 'project',
    verbs: {
      create: 'added alerts to',
      update: 'changed alerts to',
      rotate_secret: 'rotated the signing secret of',
      enable: 'enabled alerts to',
      disable: 'disabled alerts to',
      delete: 'deleted alerts to',
      test: 'sent a test to',
      send_again: 'sent an alert again to',
      ask: 'asked for the confirmation of',
    },
  },
  alert_address: {
    of: 'project',
    verbs: {
      confirm: 'recorded that alerts are wanted by',
      unsubscribe: 'recorded that no alerts are wanted by',
    },
  },
  member: {
    of: 'project',
    verbs: {
      set_role: 'changed the role of',
      remove: 'removed member',
      leave: 'ended the membership of',
    },
  },
  invitation: {
    of: 'project',
    verbs: {
      create: 'invited',
      revoke: 'revoked the invitation for',
      accept: 'accepted the invitation for',
    },
  },
  project: {
    of: 'project',
    verbs: {
      create: 'created project',
      update: 'changed project',
      delete: 'deleted project',
      rotate_secret: 'rotated the secret of',
      end_previous_secret: 'ended the previous secret of',
      transfer: 'transferred project',
      import_keys: 'imported keys into',
    },
  },
  user: {
    of: 'account',
    verbs: {
      create: 'created account',
      set_password: 'set the password of',
      create_password_reset: 'created a link to reset the password of',
      use_password_reset: 'used a link to reset the password of',
      add_second_factor: 'turned on the second factor of',
      remove_second_factor: 'removed the second factor of',
      replace_recovery_codes: 'created new recovery codes for',
      add_passkey: 'added a passkey to',
      rename_passkey: 'renamed a passkey of',
      remove_passkey: 'removed a passkey of',
      create_access_token: 'created an access token for',
      revoke_access_token: 'revoked an access token of',
      update: 'changed account',
      delete: 'deleted account',
      sign_out_everywhere: 'ended every session of',
      end_session: 'ended a session of',
    },
  },
  sign_in: {
    of: 'account',
    verbs: {
      succeed: 'signed in to',
      end: 'signed out of',
      refuse: 'refused sign-ins to',
      refuse_second_factor: 'refused codes for',
      refuse_without_passkey: 'refused a right password without a passkey for',
    },
  },
  plan: {
    of: 'installation',
    verbs: { create: 'created plan', update: 'changed plan', delete: 'deleted plan' },
  },
  second_factor: {
    of: 'installation',
    verbs: { require: 'required a', release: 'no longer requires a' },
  },
  retention: { of: 'installation', verbs: { set: 'set the' } },
  setup_token: { of: 'installation', verbs: { create: 'created the' } },
};
