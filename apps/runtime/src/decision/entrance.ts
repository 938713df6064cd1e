import { digestOf } from '@ceiba/domain';
import type { ErrorLog } from '../error-log.ts';
import { TransportError, unauthorized } from '../errors.ts';
import { parseUuid } from '../parameters.ts';
import { OVERLOAD, UnavailableError } from '../unavailable.ts';
import type { Admission } from './admission.ts';
import type { Asker, Call, Caller } from './call.ts';
import type { Pace } from './pace.ts';
import type { NotProven, Proof, ProvenSecrets } from './proven-secrets.ts';

export interface EntranceOptions {
  proven: Pick<ProvenSecrets, 'find' | 'prove' | 'renew' | 'forget'>;
  admission: Pick<Admission, 'admit'>;
  /** Of refusals in a project's share, and of those of calls whose secret is not proven. */
  paces: { project: Pick<Pace, 'slot'>; unproven: Pick<Pace, 'slot'> };
  errors: Pick<ErrorLog, 'report' | 'reportRefusal'>;
  /** @param projectId null where the secret is not proven: it counts against no project */
  countFailure(projectId: string | null, error: unknown): void;
  /** Called with the number of questions of each batch that is admitted. */
  onBatch?(questions: number): void;
  /**
   * Called for each request whose answer is no mistake of its own.
   *
   * @param failure null where all its questions were decided
   */
  onRequest?(failure: unknown): void;
}

/** Why a call was refused that does not prove who sends it. */
export type Problem = 'invalid_project_id' | 'missing_secret' | NotProven;

/** What a call may use whose secret is proven, in the share of its project. */
export interface Share {
  asker: Asker;
  /** @throws UnavailableError where there is no room for so many decisions */
  countDecisions(decisions: number): void;
  /** Counts and logs one question that could not be decided. */
  report(error: unknown): void;
}

/**
 * Where all calls come in that name a project. What they take is charged to the project once the
 * secret is proven; until then they wait in a share that is no project's (rule proven-secret).
 */
export class Entrance {
  readonly #options: EntranceOptions;

  constructor(options: EntranceOptions) {
    this.#options = options;
  }

  /**
   * Admits a call that asks for decisions to the share of its project.
   *
   * @throws TransportError for a wrong secret, and what `work` throws; UnavailableError for any outage
   */
  async admit<T>(call: Call, work: (share: Share) => Promise<T>): Promise<T> {
    let projectId: string | null = null;
    try {
      return await this.prove(call, (proof) => {
        projectId = proof.projectId;
        return this.#inShare(proof, call, work);
      });
    } catch (error) {
      this.#count(call, projectId, error);
      if (!(error instanceof TransportError)) this.#options.onRequest?.(error);
      if (error === OVERLOAD) await this.#options.paces.project.slot(call.deadline);
      throw error;
    }
  }

  async #inShare<T>(
    { projectId, secretDigest }: Proof,
    call: Call,
    work: (share: Share) => Promise<T>,
  ): Promise<T> {
    const { admission, errors, onBatch, onRequest } = this.#options;
    const { requestId, askedAtMs, bodyBytes } = call;
    const admitted = admission.admit(projectId, bodyBytes);
    if (admitted === null) throw OVERLOAD;
    let wasDecided = false;
    let failure: unknown = null;
    try {
      const answer = await work({
        asker: { projectId, secretDigest, requestId, askedAtMs },
        countDecisions(decisions) {
          if (!admitted.countDecisions(decisions)) throw OVERLOAD;
          onBatch?.(decisions);
        },
        report: (error) => {
          this.#count(call, projectId, error);
          if (!(error instanceof TransportError)) failure ??= error;
          if (error instanceof UnavailableError) errors.report(error, requestId);
        },
      });
      wasDecided = true;
      onRequest?.(failure);
      return answer;
    } finally {
      admitted.leave(wasDecided);
    }
  }

  /** Counts an outage or a bug; what is wrong with a request is no failure of the Runtime. */
  #count({ trace }: Call, projectId: string | null, error: unknown): void {
    if (error instanceof TransportError) return;
    this.#options.countFailure(projectId, error);
    trace?.fail(error);
  }

  /**
   * Works for a caller once its secret is proven.
   *
   * @throws TransportError for a wrong secret, at its turn, and what `work` throws; UnavailableError
   *   for any outage
   */
  async prove<T>(caller: Caller, work: (proof: Proof) => Promise<T>): Promise<T> {
    const proof = await this.#proofOf(caller);
    try {
      const answer = await work(proof);
      this.#note(proof, caller, null);
      return answer;
    } catch (error) {
      this.#note(proof, caller, error);
      throw error;
    }
  }

  /** At once where the secret is known as right. */
  #proofOf(caller: Caller): Proof | Promise<Proof> {
    let problem: Problem = 'invalid_project_id';
    try {
      const projectId = parseUuid('projectId', caller.projectId);
      problem = 'missing_secret';
      if (caller.secret === '') throw unauthorized();
      const asked = { projectId, secretDigest: digestOf(caller.secret) };
      return this.#options.proven.find(asked) ?? this.#lookUp(asked, caller);
    } catch (error) {
      return this.#refuse(caller, problem, error);
    }
  }

  async #lookUp(asked: Pick<Asker, 'projectId' | 'secretDigest'>, caller: Caller): Promise<Proof> {
    const proof = await this.#options.proven.prove(asked, caller.peer, caller.deadline);
    if (typeof proof === 'object') return proof;
    const known = proof === 'wrong_secret' ? asked.projectId : undefined;
    return this.#refuse(caller, proof, unauthorized(), known);
  }

  /** @throws the error, when a refusal may be answered */
  async #refuse(
    caller: Caller,
    problem: Problem,
    error: unknown,
    projectId?: string,
  ): Promise<never> {
    if (error instanceof TransportError) {
      this.#options.errors.reportRefusal(problem, caller, projectId);
      await this.#options.paces.unproven.slot(caller.deadline);
    }
    throw error;
  }

  /**
   * Keeps the proof of a call that was decided, or that an outage of Postgres left undecided. Forgets
   * that of a call whose secret was found wrong.
   *
   * @param error null where the call was decided
   */
  #note(proof: Proof, caller: Caller, error: unknown): void {
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
