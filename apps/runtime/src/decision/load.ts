import { lookupDigestOf, type PolicyFacts, type PolicyMatcher } from '@ceiba/domain';
import type { LookupRow } from '@ceiba/schema';
import type { Deadline } from '../deadline.ts';
import { TransportError, unauthorized } from '../errors.ts';
import { UnavailableError } from '../unavailable.ts';
import type { Asked, Asker, Question } from './call.ts';
import type { Dependencies } from './dependencies.ts';
import { outcomesOf } from './outcomes.ts';
import { noteIfPrevious, type Project, projectOfSecret } from './project-secret.ts';

/** What the judgement on a question needs. */
export interface Loaded {
  asker: Asker;
  question: Question;
  row: LookupRow;
  project: Project;
  /** Null where there is no key: none is asked. */
  matcher: PolicyMatcher<PolicyFacts> | null;
}

const NO_KEY = { apiKeyDigest: null, isForeign: false };

/**
 * Loads what each question needs, and judges the secret first.
 *
 * @returns per question, in order, what was loaded or why it cannot be decided
 * @throws TransportError for a wrong secret, then the error of the whole call; UnavailableError where
 *   nothing could be looked up, so that the secret is not known
 */
export async function load(
  { lookups, policies, usage }: Pick<Dependencies, 'lookups' | 'policies' | 'usage'>,
  asker: Asker,
  asked: Asked,
  deadline: Deadline,
): Promise<(Loaded | TransportError | UnavailableError)[]> {
  const { projectId, secretDigest } = asker;
  const questions = asked instanceof TransportError ? [asked] : asked;
  const rows = await outcomesOf(
    questions.map((question) => {
      const apiKey = question instanceof TransportError ? null : question.apiKey;
      return lookups.find({ projectId, ...(lookupDigestOf(apiKey) ?? NO_KEY) }, deadline);
    }),
  );
  const read = rows.flatMap((row) => (row instanceof UnavailableError ? [] : row));
  if (read.length === 0) throw rows[0];
  if (!read.every(({ project }) => projectOfSecret(project, secretDigest))) throw unauthorized();
  noteIfPrevious(usage, read[0]?.project ?? null, asker);
  if (asked instanceof TransportError) throw asked;

  return outcomesOf<Loaded | TransportError>(
    asked.map((question, index) => {
      const row = rows[index];
      if (question instanceof TransportError) return question;
      if (row instanceof UnavailableError) return row;
      if (!row?.project) throw new Error('a question has no row');
      const { project } = row;
      const matcher = row.apiKey && policies.matcherFor(projectId, project.policyRevision);
      if (!(matcher instanceof Promise)) return { asker, question, row, project, matcher };
      // A long list takes longer to read than a decision may take.
      return deadline
        .race('database', matcher)
        .then((read) => ({ asker, question, row, project, matcher: read }));
    }),
  );
}
