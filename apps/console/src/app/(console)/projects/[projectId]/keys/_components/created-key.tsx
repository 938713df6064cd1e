'use client';

import { useRouter } from 'next/navigation';
import { Name } from '#components/ui/name.tsx';
import { SecretReveal } from '#components/ui/secret-reveal.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import type { NewKey } from '../actions.ts';
import { curlExample } from './curl-example.ts';

export interface CreatedKeyProps {
  projectId: string;
  apiKey: NewKey;
  /** What a call asks for in the example. */
  example: { method: string; path: string };
}

/** The one time that a key is shown. */
export default function CreatedKey({ projectId, apiKey, example }: CreatedKeyProps) {
  const router = useRouter();
  const { plaintext, displayName, keyPrefix } = apiKey;
  return (
    <>
      <PageHeader
        title={
          <>
            <Name>{displayName}</Name> is created
          </>
        }
        description="Hand it to the one caller that it is for. It works from this moment on."
      />
      <SecretReveal
        name="key"
        secret={plaintext}
        fileName={`${keyPrefix}.txt`}
        fileText={`${plaintext}\n`}
        snippets={[
          { name: '.env', code: `API_KEY=${plaintext}\n` },
          { name: 'curl', code: curlExample(plaintext, example) },
        ]}
        onDone={() => router.push(`/projects/${projectId}/keys`)}
      />
    </>
  );
}
