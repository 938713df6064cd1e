'use client';

import { Download, KeyRound } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useLeaveGuard } from '../../lib/use-leave-guard.ts';
import { Button } from './button.tsx';
import { CodeBlock, type CodeTab } from './code-block.tsx';
import { CopyButton } from './copy-button.tsx';
import { AlertDialog, AlertDialogCancel, DialogFooter } from './dialog.tsx';

export interface SecretRevealProps {
  /** What it is, as in "Copy project secret". */
  name: string;
  secret: string;
  /** Which file the download makes. */
  fileName: string;
  /** What goes into that file; the secret alone when absent. */
  fileText?: string;
  /** Ready-to-paste blocks: `.env` first, then what uses it. */
  snippets?: readonly CodeTab[];
  /** More that is worth keeping beside it, such as the project ID. */
  children?: ReactNode;
  /** What the last button says and does: "Done". */
  doneLabel?: string;
  onDone: () => void;
}

/**
 * The one time that a secret is shown. It lives in this component's state alone; once it is gone
 * it is gone. Leaving without having copied or downloaded it asks once.
 */
export function SecretReveal({
  name,
  secret,
  fileName,
  fileText,
  snippets = [],
  children,
  doneLabel = 'Done',
  onDone,
}: SecretRevealProps) {
  const [stored, setStored] = useState(false);
  const { leave, stay, finish } = useLeaveGuard(stored, onDone);
  const router = useRouter();
  const heading = useRef<HTMLHeadingElement>(null);
  const headingId = useId();
  /** A snippet without the secret in it keeps nothing. */
  const keep = (copied: string) => copied.includes(secret) && setStored(true);

  // The step replaces the page's content; moving the focus announces it to screen readers.
  useEffect(() => heading.current?.focus(), []);

  // Its action revalidated no page (`showsOnce`), so that none could replace it.
  useEffect(() => () => router.refresh(), [router]);

  return (
    // A selection that is copied by hand counts as well.
    <section
      aria-labelledby={headingId}
      onCopy={() => keep(String(getSelection()))}
      className="grid min-w-0 gap-6"
    >
      <div className="rounded border border-limit/50 bg-limit-soft p-4 sm:p-6">
        <h2
          id={headingId}
          ref={heading}
          tabIndex={-1}
          className="flex items-center gap-2 font-semibold outline-none"
        >
          <KeyRound aria-hidden="true" className="size-5 text-limit-text" />
          Copy the {name} now
        </h2>
        <p className="mt-1">It will not be shown again: only its hash is stored.</p>
        <output className="mt-4 block rounded border bg-surface p-4 font-mono text-title text-balance break-all select-all">
          {secret}
        </output>
        <div className="mt-4 flex flex-wrap gap-2">
          <CopyButton
            variant="primary"
            text={secret}
            label={`Copy ${name}`}
            onCopied={() => setStored(true)}
          >
            Copy {name}
          </CopyButton>
          <Button
            onClick={() => {
              download(fileName, fileText ?? secret);
              setStored(true);
            }}
          >
            <Download aria-hidden="true" />
            Download {fileName}
          </Button>
        </div>
      </div>
      {children}
      {snippets.length > 0 && <CodeBlock tabs={snippets} onCopied={keep} />}
      <div>
        <Button variant={stored ? 'primary' : 'secondary'} onClick={finish}>
          {doneLabel}
        </Button>
      </div>
      <AlertDialog
        open={leave !== null}
        onOpenChange={(open) => !open && stay()}
        title={`Leave without copying the ${name}?`}
        description="It cannot be shown again. Without it you would have to make a new one."
      >
        <DialogFooter>
          <AlertDialogCancel asChild>
            <Button>Stay and copy it</Button>
          </AlertDialogCancel>
          <Button
            variant="danger"
            onClick={() => {
              setStored(true);
              leave?.();
            }}
          >
            Leave without it
          </Button>
        </DialogFooter>
      </AlertDialog>
    </section>
  );
}

/** Hands the browser a file that was never anywhere else. */
function download(fileName: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
