import { CopyButton } from '#components/ui/copy-button.tsx';
import { Highlighted } from '#components/ui/highlighted.tsx';
import { ScrollRegion } from '#components/ui/scroll-region.tsx';
import type { GuideBlock } from '#server/guides/guide.ts';

/** The body of a guide. Only the buttons that copy code need JavaScript. */
export function GuideBlocks({ blocks }: { blocks: readonly GuideBlock[] }) {
  return (
    <div className="guide">
      {blocks.map((block, index) => (
        <Block key={index} block={block} place={index + 1} />
      ))}
    </div>
  );
}

function Block({ block, place }: { block: GuideBlock; place: number }) {
  if (block.kind === 'code') return <Code {...block} place={place} />;
  if (block.kind === 'heading') {
    const Heading = block.depth === 2 ? 'h2' : 'h3';
    return (
      <Heading id={block.id}>
        <a href={`#${block.id}`} dangerouslySetInnerHTML={{ __html: block.html }} />
      </Heading>
    );
  }
  const html = <div dangerouslySetInnerHTML={{ __html: block.html }} />;
  if (block.kind === 'text') return html;
  return (
    <ScrollRegion label={`Table ${place}`} className="rounded border bg-surface">
      {html}
    </ScrollRegion>
  );
}

/** The languages whose comments, strings and keywords are coloured. */
const HIGHLIGHTED = new Set(['ts', 'tsx', 'js', 'python', 'sh', 'bash']);

function Code({ language, code, place }: { language: string; code: string; place: number }) {
  return (
    <div className="rounded border bg-sunken">
      <div className="flex h-10 items-center justify-between gap-2 border-b pr-1 pl-4">
        <span className="text-small text-muted">{language}</span>
        <CopyButton text={code} label={`Copy code ${place}`} />
      </div>
      <ScrollRegion label={`Code ${place}`} className="focus-visible:-outline-offset-2">
        <pre className="p-4 text-small">
          {HIGHLIGHTED.has(language) ? <Highlighted code={code} /> : <code>{code}</code>}
        </pre>
      </ScrollRegion>
    </div>
  );
}
