'use client';

import { useId, useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { Highlighted } from './highlighted.tsx';
import { ScrollRegion } from './scroll-region.tsx';

export interface CodeTab {
  name: string;
  code: string;
}

export interface CodeBlockProps {
  tabs: readonly CodeTab[];
  onCopied?: ((code: string) => void) | undefined;
}

/** Code to copy. A radio button per variant chooses the one that is shown. */
export function CodeBlock({ tabs, onCopied }: CodeBlockProps) {
  const id = useId();
  const [shown, setShown] = useState(tabs[0]?.name ?? '');
  const code = tabs.find(({ name }) => name === shown)?.code ?? '';
  return (
    <div className="overflow-hidden rounded border bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b pr-1 pl-2">
        <div role="radiogroup" aria-label="Variants" className="flex overflow-x-auto">
          {tabs.map(({ name }) => (
            <label
              key={name}
              className="relative flex h-10 cursor-pointer items-center border-b-2 border-transparent px-2 text-small font-medium whitespace-nowrap text-muted transition-colors hover:text-ink has-checked:border-accent-text has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus"
            >
              <input
                type="radio"
                name={id}
                value={name}
                checked={name === shown}
                onChange={() => setShown(name)}
                className="absolute inset-0 cursor-pointer opacity-0"
              />
              {name}
            </label>
          ))}
        </div>
        <CopyButton text={code} label={`Copy ${shown}`} onCopied={() => onCopied?.(code)} />
      </div>
      <ScrollRegion label={shown} className="focus-visible:-outline-offset-2">
        <pre className="p-4 text-small">
          <Highlighted code={code} />
        </pre>
      </ScrollRegion>
    </div>
  );
}
