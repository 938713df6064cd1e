import { wordsOfIssue } from '@ceiba/contract';
import type { InvalidInputError } from '@ceiba/schema';
import { z } from 'zod';

/** What is wrong with an input, or with a row that is judged by itself. */
export const rowProblem = z.strictObject({
  field: z.string().nullable().describe('Null where it is the whole row.'),
  problem: z.string().describe('Completes a sentence that begins with the field.'),
});
export type RowProblem = z.output<typeof rowProblem>;

/** The first field that is wrong; the error has to have the inputs. */
export function problemOf({ issues: [issue] }: z.ZodError): RowProblem {
  if (issue?.code === 'unrecognized_keys') {
    return { field: issue.keys[0]?.slice(0, 64) ?? null, problem: 'is not a known field' };
  }
  return {
    field: issue?.path.join('.') || null,
    problem: issue === undefined ? 'is wrong' : wordsOfIssue(issue),
  };
}

/** The first rule that a verb found broken. */
export const problemOfInput = ({ problems: [first], message }: InvalidInputError): RowProblem => ({
  field: first?.field ?? null,
  problem: first?.rule ?? message,
});
