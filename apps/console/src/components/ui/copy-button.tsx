'use client';

import { clsx } from 'clsx';
import { Check, CircleAlert, Copy } from 'lucide-react';
import { Button, type ButtonProps } from './button.tsx';
import { type CopyOutcome, useCopy } from './copy.ts';

export type CopyButtonProps = Omit<ButtonProps, 'onClick'> & {
  text: string;
  /** For screen readers: "Copy project ID". */
  label: string;
  onCopied?: (() => void) | undefined;
};

const REFUSED = 'Select and copy it yourself';

/** Copies text and says in place whether it worked. Without children it is an icon. */
export function CopyButton({ text, label, onCopied, children, ...rest }: CopyButtonProps) {
  const { outcome, copy } = useCopy(text);
  const words =
    outcome === 'refused' ? REFUSED : children && (outcome === 'copied' ? 'Copied' : children);
  return (
    <Button
      size={children ? 'md' : words ? 'sm' : 'icon'}
      variant={children ? 'secondary' : 'quiet'}
      aria-label={words ? undefined : label}
      title={words ? undefined : label}
      onClick={async () => {
        if ((await copy()) === 'copied') onCopied?.();
      }}
      {...rest}
    >
      <CopyIcon outcome={outcome} />
      {words}
      <span role="status" className="sr-only">
        {outcome === 'copied' && 'Copied'}
        {outcome === 'refused' && `The browser refused to copy. ${REFUSED}.`}
      </span>
    </Button>
  );
}

const ICONS = { copied: Check, refused: CircleAlert } as const;
const TONES = { copied: 'text-ink', refused: 'text-deny-text' } as const;

/** The icon of a copy, which shows for some seconds whether it worked. */
export function CopyIcon({ outcome, className }: { outcome: CopyOutcome; className?: string }) {
  const Icon = outcome ? ICONS[outcome] : Copy;
  return <Icon aria-hidden="true" className={clsx(className, outcome && TONES[outcome])} />;
}
