import { CodeBlock } from '../ui/code-block.tsx';

export interface FirstCallProps {
  projectId: string;
  runtimeUrl: string;
}

/** A command that requests a decision, with the values of this project. */
export function FirstCall({ projectId, runtimeUrl }: FirstCallProps) {
  const code = `curl ${runtimeUrl}/rt/projects/${projectId}/authorize \\
  -H "x-service-project-secret: $CEIBA_PROJECT_SECRET" \\
  -H 'content-type: application/json' \\
  -d '{"apiKey":null,"method":"GET","path":"/v1/reports"}'`;
  return <CodeBlock tabs={[{ name: 'curl', code }]} />;
}
