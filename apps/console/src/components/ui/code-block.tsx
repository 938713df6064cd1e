'use client';

import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { ScrollRegion } from './scroll-region.tsx';

export interface CodeTab {
  name: string;
  code: string;
}

export interface CodeBlockProps {
  tabs: readonly CodeTab[];
  onCopied?: ((code: string) => void) | undefined;
}

/** Code to copy, one tab per variant. */
export function CodeBlock({ tabs, onCopied }: CodeBlockProps) {
  const [shown, setShown] = useState(tabs[0]?.name ?? '');
  const code = tabs.find(({ name }) => name === shown)?.code ?? '';
  return (
    <Tabs.Root
      value={shown}
      onValueChange={setShown}
      className="overflow-hidden rounded border bg-sunken"
    >
      <div className="flex items-center justify-between gap-2 border-b pr-1 pl-2">
        <Tabs.List aria-label="Variants" className="flex overflow-x-auto">
          {tabs.map(({ name }) => (
            <Tabs.Trigger
              key={name}
              value={name}
              className="-mb-px h-10 border-b-2 border-transparent px-2 text-small font-medium whitespace-nowrap text-muted transition-colors hover:text-ink data-[state=active]:border-accent-text data-[state=active]:text-ink focus-visible:-outline-offset-2"
            >
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <CopyButton text={code} label={`Copy ${shown}`} onCopied={() => onCopied?.(code)} />
      </div>
      {tabs.map((tab) => (
        <Tabs.Content key={tab.name} value={tab.name} tabIndex={-1}>
          <ScrollRegion label={tab.name} className="focus-visible:-outline-offset-2">
            <pre className="p-4 text-small">
              <code>{tab.code}</code>
            </pre>
          </ScrollRegion>
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
