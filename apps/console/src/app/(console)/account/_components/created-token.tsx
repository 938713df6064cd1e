'use client';

import type { ShownOnceProps } from '#components/shown-once.tsx';
import { named } from '#components/ui/name.tsx';
import { SecretReveal } from '#components/ui/secret-reveal.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import type { NewAccessToken } from '../access-token-actions.ts';

/** Shows a new access token, once. */
export default function CreatedToken({ created, onDone }: ShownOnceProps<NewAccessToken>) {
  const { name, token, expiresAt, server } = created;
  return (
    <div className="grid gap-4">
      <p>
        {named`${name} is created.`} It works until <AbsoluteTime at={expiresAt} />. Keep it where
        the program that uses it keeps its secrets.
      </p>
      <SecretReveal
        name="access token"
        secret={token}
        fileName="ceiba-token.txt"
        fileText={`${token}\n`}
        snippets={[
          { name: '.env', code: `CEIBA_SERVER=${server}\nCEIBA_TOKEN=${token}\n` },
          {
            name: 'ceiba',
            code: `export CEIBA_SERVER=${server}\nexport CEIBA_TOKEN=${token}\nceiba project list\n`,
          },
        ]}
        onDone={onDone}
      />
    </div>
  );
}
