import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { KEY_BRAND_LENGTH_MAX } from '@ceiba/domain/constants';
import type { Project } from '@ceiba/schema';
import { NumberField, TextField } from '#components/form-fields.tsx';
import { SubmitForm } from '#components/submit-form.tsx';
import { Checkbox, CODE_INPUT } from '#components/ui/input.tsx';
import { renameProject, setDefaultKeyRate, setKeyPrefix, setRequestLog } from '../actions.ts';

type Named = Pick<Project, 'name'>;

export const RenameProject = ({ name }: Named) => (
  <SubmitForm
    action={renameProject}
    done={{ title: 'Project renamed' }}
    submit="Rename project"
    isInline
  >
    <TextField
      name="name"
      label="Project name"
      initial={name}
      maxLength={DISPLAY_NAME_LENGTH_MAX}
    />
  </SubmitForm>
);

type Rated = Pick<Project, 'defaultKeyRateLimitPerMinute'>;

export const DefaultKeyRate = ({ defaultKeyRateLimitPerMinute }: Rated) => (
  <SubmitForm
    action={setDefaultKeyRate}
    done={{ title: 'Default rate saved', description: 'It applies from the next request on.' }}
    submit="Save default rate"
    isInline
  >
    <NumberField
      name="defaultKeyRateLimitPerMinute"
      label="Requests per minute"
      optional
      hint="If empty, only the plan’s limit applies. 0 allows no requests."
      initial={defaultKeyRateLimitPerMinute}
    />
  </SubmitForm>
);

type Prefixed = Pick<Project, 'keyPrefix'>;

export const KeyPrefix = ({ keyPrefix }: Prefixed) => (
  <SubmitForm
    action={setKeyPrefix}
    done={{ title: 'Key prefix saved', description: 'The next key begins with it.' }}
    submit="Save key prefix"
    isInline
  >
    <TextField
      name="keyPrefix"
      label="Key prefix"
      hint={`A small letter, then small letters, digits and _, at most ${KEY_BRAND_LENGTH_MAX} characters with the _ at its end, such as acme_ or acme_live_. It cannot have ceiba_ or whsec_ within; ceiba_ alone is allowed.`}
      initial={keyPrefix}
      {...CODE_INPUT}
    />
  </SubmitForm>
);

type Logged = Pick<Project, 'loggedAllowsPercent' | 'logsPaths'>;

export const DecisionLog = ({ loggedAllowsPercent, logsPaths }: Logged) => (
  <SubmitForm
    action={setRequestLog}
    hidden={{ seen: JSON.stringify({ loggedAllowsPercent, logsPaths }) }}
    done={{ title: 'Decision log saved' }}
    submit="Save decision log"
  >
    <NumberField
      name="loggedAllowsPercent"
      label="Allowed requests to record, in percent"
      hint="From 0 to 100. Denied requests are always recorded."
      initial={loggedAllowsPercent}
    />
    <Checkbox
      name="logsPaths"
      value="yes"
      defaultChecked={logsPaths}
      label="Record paths"
      hint="Without the query. If off, requests cannot be found by path."
    />
  </SubmitForm>
);
