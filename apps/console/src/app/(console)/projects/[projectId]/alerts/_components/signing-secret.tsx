'use client';

import { SECRET_OVERLAP_HOURS } from '@ceiba/domain/constants';
import type { ShownOnceProps } from '#components/shown-once.tsx';
import { SecretReveal } from '#components/ui/secret-reveal.tsx';
import type { NewSigningSecret } from '../actions.ts';

/** Shows the signing secret of a webhook, once. */
export default function SigningSecret({
  created: { secret, isRotation },
  onDone,
}: ShownOnceProps<NewSigningSecret>) {
  return (
    <SecretReveal
      title={isRotation ? 'Signing secret rotated' : 'Webhook added'}
      description={
        isRotation
          ? `For ${SECRET_OVERLAP_HOURS} hours, requests are signed with the previous secret too.`
          : 'Your server verifies each request with this secret.'
      }
      guide="alert_destination"
      name="signing secret"
      secret={secret}
      fileName="ceiba-webhook.env"
      fileText={`CEIBA_WEBHOOK_SECRET=${secret}\n`}
      snippets={[{ name: 'ceiba-webhook.env', code: `CEIBA_WEBHOOK_SECRET=${secret}` }]}
      onDone={onDone}
    />
  );
}
