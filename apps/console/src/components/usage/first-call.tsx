import { firstDecision } from '../../lib/host-snippets.ts';
import { CodeBlock } from '../ui/code-block.tsx';

/** A command that requests a decision, with the values of this project. */
export function FirstCall({ projectId, runtimeUrl }: { projectId: string; runtimeUrl: string }) {
  const code = firstDecision({ projectId, runtimeUrl });
  return <CodeBlock tabs={[{ name: 'curl', code }]} />;
}
