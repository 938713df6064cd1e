import { type Framework, type HostSnippetOptions, hostSnippets } from '../lib/host-snippets.ts';
import { QueryForm } from './query-form.tsx';
import { Button } from './ui/button.tsx';
import { CodeBlock } from './ui/code-block.tsx';
import { SelectField } from './ui/field.tsx';
import { TextLink } from './ui/text-link.tsx';

export interface HostSnippetsProps {
  /** The address of the page, whose query has the framework. */
  here: string;
  host: HostSnippetOptions;
  frameworks: readonly Framework[];
  chosen: Framework;
  /** The path that the host serves, by default that of the guide. */
  path?: string;
}

/** A complete host for the framework that is chosen, in the files and commands of its guide. */
export function HostSnippets({ here, host, frameworks, chosen, path }: HostSnippetsProps) {
  return (
    <>
      <div className="mb-3 flex flex-wrap items-end gap-x-4 gap-y-2">
        <QueryForm
          action={here}
          values={{ framework: chosen.slug }}
          scroll={false}
          className="flex items-end gap-2"
        >
          <SelectField
            name="framework"
            label="Framework"
            defaultValue={chosen.slug}
            options={frameworks.map(({ slug, name }) => [slug, name] as const)}
          />
          <Button type="submit" className="[@media(scripting:enabled)]:hidden">
            Show
          </Button>
        </QueryForm>
        <TextLink href={`/docs/${chosen.slug}`} look="step" className="py-2">
          The guide to {chosen.name}
        </TextLink>
      </div>
      <CodeBlock key={chosen.slug} tabs={hostSnippets(chosen, host, path)} />
    </>
  );
}
