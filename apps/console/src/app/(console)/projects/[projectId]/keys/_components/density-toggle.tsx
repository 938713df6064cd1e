'use client';

import { Rows2, Rows3 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { IconButton } from '#components/ui/button.tsx';
import { DENSITY_COOKIE, type Density, preferenceCookie } from '#lib/preferences.ts';

/** Makes the rows of a list compact or comfortable, on every visit of this browser. */
export function DensityToggle({ isDense, className }: { isDense: boolean; className?: string }) {
  const router = useRouter();
  function toggle() {
    const next: Density = isDense ? 'comfortable' : 'compact';
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = preferenceCookie(DENSITY_COOKIE, next);
    router.refresh();
  }
  const label = isDense ? 'Show comfortable rows' : 'Show compact rows';
  return (
    <IconButton
      icon={isDense ? Rows2 : Rows3}
      label={label}
      title={label}
      onClick={toggle}
      className={className}
    />
  );
}
