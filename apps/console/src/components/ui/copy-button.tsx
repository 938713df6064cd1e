'use client';

import { Check, Copy } from 'lucide-react';
import { Button, type ButtonProps } from './button.tsx';
import { useCopy } from './copy.ts';
import { useToast } from './toast.tsx';

export type CopyButtonProps = Omit<ButtonProps, 'onClick' | 'asChild'> & {
  text: string;
  /** For screen readers: "Copy project ID". */
  label: string;
  onCopied?: (() => void) | undefined;
};

/** Copies text and confirms it in place. Without children it is an icon. */
export function CopyButton({ text, label, onCopied, children, ...rest }: CopyButtonProps) {
  const { copied, copy } = useCopy(text);
  const toast = useToast();

  async function onClick() {
    if (await copy()) return onCopied?.();
    toast({
      tone: 'error',
      title: 'The browser refused to copy',
      description: 'Select the text and copy it yourself.',
    });
  }

  const Icon = copied ? Check : Copy;
  return (
    <Button
      size={children ? 'md' : 'icon'}
      variant={children ? 'secondary' : 'quiet'}
      aria-label={children ? undefined : label}
      title={children ? undefined : label}
      onClick={onClick}
      {...rest}
    >
      <Icon aria-hidden="true" className={copied ? 'text-allow-text' : undefined} />
      {children && (copied ? 'Copied' : children)}
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </Button>
  );
}
