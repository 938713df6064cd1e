'use client';

import { signIn } from 'next-auth/react';
import { Button } from '#components/ui/button.tsx';

export interface ProviderButtonsProps {
  providers: readonly { id: string; name: string }[];
  next: string;
}

export function ProviderButtons({ providers, next }: ProviderButtonsProps) {
  return (
    <div className="mt-6 grid gap-2">
      <p className="flex items-center gap-4 text-small text-muted before:flex-1 before:border-t after:flex-1 after:border-t">
        or
      </p>
      {providers.map(({ id, name }) => (
        <Button key={id} onClick={() => signIn(id, { callbackUrl: next })}>
          Continue with {name}
        </Button>
      ))}
    </div>
  );
}
