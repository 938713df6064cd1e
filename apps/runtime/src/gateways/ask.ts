import type { Deadline } from '../deadline.ts';
import {
  type Asker,
  type AuthorizeDependencies,
  authorize,
  type Question,
} from '../decision/authorize.ts';
import { answerToDecision, type GatewayAnswer } from './answer.ts';

/**
 * Decides a request for a gateway.
 *
 * @returns null where the secret is wrong, or there is no such project
 * @throws UnavailableError for any outage
 */
export async function askForGateway(
  dependencies: AuthorizeDependencies,
  asker: Asker,
  question: Question,
  deadline: Deadline,
): Promise<GatewayAnswer | null> {
  const answer = await authorize(dependencies, asker, question, deadline);
  return answer.kind === 'decided' ? answerToDecision(asker.projectId, answer.decision) : null;
}
