import { digestOf } from '@ceiba/domain';
import type { Deadline } from '../deadline.ts';
import type { ErrorLog } from '../error-log.ts';
import { TransportError, unauthorized } from '../errors.ts';
import { parseUuid } from '../parameters.ts';
import { OVERLOAD, UnavailableError } from '../unavailable.ts';
import type { Admission } from './admission.ts';
import type { Asker } from './authorize.ts';
import type { Pace } from './pace.ts';
import type { NotProven, Proof, ProvenSecrets } from './proven-secrets.ts';

export interface EntranceOptions {
  proven: Pick<ProvenSecrets, 'find' | 'prove' | 'renew' | 'forget'>;
  admission: Pick<Admission, 'admit'>;
  /** Of refusals in a project's share, and of those of calls whose secret is not proven. */
  paces: { project: Pick<Pace, 'turn'>; unproven: Pick<Pace, 'turn'> };
  errors: Pick<ErrorLog, 'reportRefusal'>;
  /** @param projectId null where the secret is not proven: it counts against no project */
  countFailure(projectId: string | null, error: unknown): void;
}

/** What a call says of who sends it; none of it was checked. */
export interface Caller {
  projectId: string;
  /** Empty where the call has none. */
  secret: string;
  /** The address that it came from. */
  peer: string;
  userAgent: string | undefined;
  requestId: string;
  deadline: Deadline;
}

/** A call that asks for decisions. */
export interface Arrival extends Caller, Pick<Asker, 'askedAtMs'> {
  /** How long the body may be; 0 where it is small enough not to count. */
  bodyBytes: number;
}

/** Why a call was refused that does not prove who sends it. */
export type Problem = 'invalid_project_id' | 'missing_secret' | NotProven;

/** What a call may use whose secret is proven, in the share of its project. */
export interface Share {
  asker: Asker;
  deadline: Deadline;
  /** @throws UnavailableError where there is no room for so many decisions */
  countAs(decisions: number): void;
  /** Counts a decision that was answered with an outage. */
  countFailure(error: unknown): void;
}

/**
 * Where all calls come in that name a project. What they take is charged to the project once the
 * secret is proven; until then they wait in a share that is no project's (consistency rule 41).
 */
export class Entrance {
  readonly #options: EntranceOptions;

  constructor(options: EntranceOptions) {
    this.#options = options;
  }

  /**
   * Answers a call in the share of its project.
   *
   * @throws TransportError for a wrong secret, and what `work` throws; UnavailableError for any outage
   */
  async answer<T>(arrival: Arrival, work: (share: Share) => Promise<T>): Promise<T> {
    const { paces, countFailure } = this.#options;
    let proof: Proof | null = null;
    try {
      proof = await this.prove(arrival);
      const answer = await this.#answerInShare(proof, arrival, work);
      this.note(proof, arrival, null);
      return answer;
    } catch (error) {
      countFailure(proof?.projectId ?? null, error);
      if (proof !== null) this.note(proof, arrival, error);
      if (error === OVERLOAD) await paces.project.turn();
      throw error;
    }
  }

  async #answerInShare<T>(
    { projectId, secretDigest }: Proof,
    { requestId, askedAtMs, deadline, bodyBytes }: Arrival,
    work: (share: Share) => Promise<T>,
  ): Promise<T> {
    const { admission, countFailure } = this.#options;
    const admitted = admission.admit(projectId, bodyBytes);
    if (admitted === null) throw OVERLOAD;
    let wasDecided = false;
    try {
      const answer = await work({
        asker: { projectId, secretDigest, requestId, askedAtMs },
        deadline,
        countAs(decisions) {
          if (!admitted.countAs(decisions)) throw OVERLOAD;
        },
        countFailure: (error) => countFailure(projectId, error),
      });
      wasDecided = true;
      return answer;
    } finally {
      admitted.leave(wasDecided);
    }
  }

  /**
   * Waits until the secret of a call is proven.
   *
   * @throws TransportError for a wrong secret, at its turn; UnavailableError for any outage
   */
  async prove(caller: Caller): Promise<Proof> {
    const { proven, paces, errors } = this.#options;
    let problem: Problem = 'invalid_project_id';
    let projectId: string | undefined;
    try {
      projectId = parseUuid('projectId', caller.projectId);
      problem = 'missing_secret';
      if (caller.secret === '') throw unauthorized();
      const asked = { projectId, secretDigest: digestOf(caller.secret) };
      const proof = proven.find(asked) ?? (await proven.prove(asked, caller.peer, caller.deadline));
      if (typeof proof === 'object') return proof;
      problem = proof;
      throw unauthorized();
    } catch (error) {
      if (error instanceof TransportError) {
        errors.reportRefusal(problem, caller, problem === 'wrong_secret' ? projectId : undefined);
        await paces.unproven.turn();
      }
      throw error;
    }
  }

  /**
   * Keeps the proof of a call that was decided, or that an outage of Postgres left undecided. Forgets
   * that of a call whose secret was found wrong.
   *
   * @param error null where the call was decided
   */
  note(proof: Proof, caller: Caller, error: unknown): void {
    const { proven, errors } = this.#options;
    if (error instanceof TransportError) {
      if (error.code !== 'unauthorized') return;
      proven.forget(proof);
      errors.reportRefusal('wrong_secret', caller, proof.projectId);
    } else if (error === null || isOfDatabase(error)) {
      proven.renew(proof);
    }
  }
}

const isOfDatabase = (error: unknown) =>
  error instanceof UnavailableError && error.dependency === 'database';
