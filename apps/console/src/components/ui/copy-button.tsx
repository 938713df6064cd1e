'use client';

import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { copyText } from './copy.ts';
import { useToast } from './toast.tsx';

const CONFIRMATION_MS = 2_000;

export type CopyButtonProps = Omit<ButtonProps, 'onClick' | 'asChild'> & {
  text: string;
  /** What is copied, for those who hear the button: "Copy project ID". */
  label: string;
  onCopied?: (() => void) | undefined;
};

/** Copies, and says so in its own place. With children it is a worded button, else an icon. */
export function CopyButton({ text, label, onCopied, children, ...rest }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const toast = useToast();

  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy() {
    if (await copyText(text)) {
      setCopied(true);
      onCopied?.();
    } else {
      toast({
        tone: 'fault',
        title: 'The browser refused to copy',
        description: 'Select the text and copy it by hand.',
      });
    }
  }

  const Icon = copied ? Check : Copy;
  return (
    <Button
      size={children ? 'md' : 'icon'}
      variant={children ? 'secondary' : 'quiet'}
      aria-label={children ? undefined : label}
      title={children ? undefined : label}
      onClick={copy}
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
