'use client';

import type { ShownOnceProps } from '#components/shown-once.tsx';
import { named } from '#components/ui/name.tsx';
import { SecretReveal } from '#components/ui/secret-reveal.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import type { ReplacedKey } from '../actions.ts';

/** Shows the new secret of a key, once. */
export default function ReplacedKeyStep({ created, onDone }: ShownOnceProps<ReplacedKey>) {
  const { displayName, keyPrefix, plaintext, previous } = created;
  return (
    <SecretReveal
      title={named`${displayName} has a new secret`}
      description={
        previous === null ? (
          'Give it to its caller. The old secret does not work any more.'
        ) : (
          <>
            Give it to its caller before <AbsoluteTime at={previous.validUntil} />. Until then the
            old secret <code className="text-small">{previous.keyPrefix}…</code> works too.
          </>
        )
      }
      name="key"
      secret={plaintext}
      fileName={`${keyPrefix}.txt`}
      fileText={`${plaintext}\n`}
      snippets={[{ name: '.env', code: `API_KEY=${plaintext}\n` }]}
      onDone={onDone}
    />
  );
}
