'use client';

import { useRouter } from 'next/navigation';
import { named } from '#components/ui/name.tsx';
import { SecretReveal } from '#components/ui/secret-reveal.tsx';
import { curlExample } from '#lib/curl-example.ts';
import type { NewKey } from '../actions.ts';

export interface CreatedKeyProps {
  projectId: string;
  apiKey: NewKey;
}

/** Shows a new key, once. */
export default function CreatedKey({ projectId, apiKey }: CreatedKeyProps) {
  const router = useRouter();
  const { plaintext, displayName, keyPrefix, example, denied } = apiKey;
  return (
    <SecretReveal
      title={named`${displayName} is created`}
      description={`Give it to its caller. ${
        denied !== null
          ? `Its calls are denied for now: ${denied}.`
          : example !== null
            ? 'It works immediately.'
            : ''
      }`}
      name="key"
      secret={plaintext}
      fileName={`${keyPrefix}.txt`}
      fileText={`${plaintext}\n`}
      snippets={[
        { name: '.env', code: `API_KEY=${plaintext}\n` },
        ...(denied === null && example !== null
          ? [{ name: 'curl', code: curlExample(plaintext, example) }]
          : []),
      ]}
      onDone={() => router.push(`/projects/${projectId}/keys`)}
    />
  );
}
