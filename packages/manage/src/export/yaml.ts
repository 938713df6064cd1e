import { Document, isScalar, visit } from 'yaml';
import { readCeibaFile } from '../apply/read.ts';
import type { CeibaFileText } from '../apply/schema.ts';
import { failure, Refusal } from '../refusal.ts';

const HEADER = ` Written by ceiba export. To apply it: ceiba apply -f FILE
 In it: the owner, the projects with their subscriptions, customer plans and policies, and the plans
 that these are on.
 Not in it: API keys and project secrets, of which only digests are stored, customers, passwords, members,
 alerts, what the decision log keeps, and plans without a project here. A project that apply creates has
 a new secret and no key.
 For hints in an editor: ceiba schema > ceiba.schema.json
 yaml-language-server: $schema=ceiba.schema.json`;

/** A file as YAML, a line for each plan and policy, with a comment on what it holds. */
export function yamlOf(file: CeibaFileText): string {
  // Programs that read YAML 1.1 take an unquoted yes for true.
  const document = new Document(file, { compat: 'yaml-1.1' });
  document.commentBefore = HEADER;
  visit(document, {
    Map(_, node) {
      node.flow = node.items.every(
        ({ key, value }) => isScalar(value) || (isScalar(key) && key.value === 'scopes'),
      );
    },
  });
  return document.toString({ lineWidth: 0, singleQuote: true });
}

/**
 * Checks that `apply` accepts a file.
 *
 * @throws Refusal for what the database holds and a file cannot, such as a change by plain SQL
 */
export function requireApplicable(text: string): void {
  try {
    readCeibaFile('The export', text, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const [, ...problems] = error.message.split('\n');
    throw failure(
      `The database holds what ceiba apply refuses. Correct it and run this again:\n${problems.join('\n')}`,
    );
  }
}
