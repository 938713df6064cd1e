import type { Credential } from '@ceiba/contract/credential';
import { UUID } from '@ceiba/contract/sets';
import { digestOf } from '@ceiba/domain';
import { type Asker, type AuthorizeDependencies, authorize } from '../authorize.ts';
import type { Deadline } from '../deadline.ts';
import { answerToDecision, type GatewayAnswer } from './gateway-answer.ts';
import type { OriginalRequestReading } from './original-request.ts';
import { questionOf } from './question.ts';

/** What a gateway sent, before any of it was checked. */
export interface GatewayCall extends Pick<Asker, 'requestId' | 'askedAtMs'> {
  readonly projectId: string;
  readonly secret: string | undefined;
  readonly credential: Credential;
  readonly original: OriginalRequestReading;
}

/**
 * Decides a request for a gateway.
 *
 * @returns null where the secret is missing or wrong, there is no such project, or its ID is no UUID
 * @throws UnavailableError for any outage
 */
export async function askForGateway(
  dependencies: AuthorizeDependencies,
  call: GatewayCall,
  deadline: Deadline,
): Promise<GatewayAnswer | null> {
  const { secret, credential, original, requestId, askedAtMs } = call;
  const projectId = call.projectId.toLowerCase();
  if (!UUID.test(projectId) || secret === undefined || secret === '') return null;
  const asker = { projectId, secretDigest: digestOf(secret), requestId, askedAtMs };
  const answer = await authorize(dependencies, asker, questionOf(credential, original), deadline);
  return answer.kind === 'decided' ? answerToDecision(projectId, answer.decision) : null;
}
