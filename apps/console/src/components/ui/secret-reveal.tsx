'use client';

import { Download, KeyRound } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useId, useRef, useState, useTransition } from 'react';
import { useLeaveGuard } from '../../lib/use-leave-guard.ts';
import { Button } from './button.tsx';
import { CodeBlock, type CodeTab } from './code-block.tsx';
import { CopyButton } from './copy-button.tsx';
import { AlertDialog, DialogClose, DialogFooter } from './dialog.tsx';
import { PageHeader, type PageHeaderProps } from './section.tsx';

/** `title`, `description` and `guide` are those of a page; without a title it is a part of one. */
export interface SecretRevealProps extends Omit<PageHeaderProps, 'title' | 'list' | 'actions'> {
  title?: ReactNode;
  /** As in "Copy project secret". */
  name: string;
  secret: string;
  /** The name of the download. */
  fileName: string;
  /** The content of the download; by default the secret. */
  fileText?: string;
  /** Ready-to-paste blocks: `.env` first, then what uses it. */
  snippets?: readonly CodeTab[];
  /** Other values to store, such as the project ID. */
  children?: ReactNode;
  /** It was copied or downloaded. */
  onStored?: () => void;
  /** Shows the page that follows, which is loaded again: the page from before could have changed. */
  onDone: () => void;
}

/**
 * Shows a secret, once: it exists only in this component's state. Leaving without a copy or a
 * download asks once.
 */
export function SecretReveal({ title, description, guide, ...secret }: SecretRevealProps) {
  return (
    <>
      {title && <PageHeader title={title} description={description} guide={guide} />}
      <Reveal {...secret} />
    </>
  );
}

function Reveal({
  name,
  secret,
  fileName,
  fileText,
  snippets = [],
  children,
  onStored,
  onDone,
}: Omit<SecretRevealProps, keyof PageHeaderProps>) {
  const [stored, setStored] = useState(false);
  const [isLeaving, startLeaving] = useTransition();
  const isDone = useRef(false);
  const router = useRouter();
  const { leave, stay, finish } = useLeaveGuard(stored, () => {
    isDone.current = true;
    startLeaving(() => {
      onDone();
      router.refresh();
    });
  });
  const heading = useRef<HTMLHeadingElement>(null);
  const headingId = useId();
  function store() {
    setStored(true);
    onStored?.();
  }
  /** Only text with the secret in it counts as a copy. */
  const keep = (copied: string) => copied.includes(secret) && store();

  // The step replaces the page's content; moving the focus announces it to screen readers.
  useEffect(() => heading.current?.focus(), []);

  // The action revalidated no page (`showsOnce`), because that could have replaced this one.
  useEffect(
    () => () => {
      if (!isDone.current) router.refresh();
    },
    [router],
  );

  // The secret leaves at once, however long the page takes.
  if (isLeaving) return <output className="text-muted">Loading the page…</output>;
  return (
    // Copying a selection counts too.
    <section
      aria-labelledby={headingId}
      onCopy={() => keep(String(getSelection()))}
      className="grid max-w-[45rem] min-w-0 grid-cols-[minmax(0,1fr)] gap-6"
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
        <p className="mt-1">It will not be shown again.</p>
        <output className="mt-4 block rounded border bg-surface p-4 font-mono text-title text-balance break-all whitespace-pre-line select-all">
          {secret}
        </output>
        <div className="mt-4 flex flex-wrap gap-2">
          <CopyButton variant="primary" text={secret} label={`Copy ${name}`} onCopied={store}>
            Copy {name}
          </CopyButton>
          <Button
            onClick={() => {
              download(fileName, fileText ?? secret);
              store();
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
          Done
        </Button>
      </div>
      {leave !== null && (
        <AlertDialog
          onClose={stay}
          title={`Leave without copying the ${name}?`}
          description="It cannot be shown again. Without it you have to create a new one."
        >
          <DialogFooter>
            <DialogClose>Stay and copy it</DialogClose>
            <Button
              variant="danger"
              onClick={() => {
                setStored(true);
                leave();
              }}
            >
              Leave without it
            </Button>
          </DialogFooter>
        </AlertDialog>
      )}
    </section>
  );
}

/** Saves text as a file, without a request. */
function download(fileName: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
