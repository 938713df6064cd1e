import type { Logger } from '@ceiba/process/log';
import { shortened } from './errors.ts';
import { UnavailableError } from './unavailable.ts';

/** A line of one kind is logged once per interval, in ms, with the number of suppressed ones. */
const INTERVAL_MS = 1_000;
/** So many kinds have lines of their own at a time, of which most are projects. */
const KINDS_MAX = 100;

/** Who sent a call, as far as the call says. */
export interface RefusedCaller {
  requestId: string;
  peer: string;
  userAgent: string | undefined;
}

/** Counts mistakes in the settings of hosts and gateways, of which the log shows only some. */
export interface MistakeCounter {
  refusedSecret(): void;
  unclearRequest(): void;
}

/** Logs every internal error, and each outage and refused secrets at most once per second. */
export class ErrorLog {
  readonly #log: Logger;
  readonly #mistakes: MistakeCounter | undefined;
  readonly #last = new Map<string, { at: number; suppressed: number }>();

  constructor(log: Logger, mistakes?: MistakeCounter) {
    this.#log = log;
    this.#mistakes = mistakes;
  }

  report(error: unknown, requestId: string): void {
    if (!(error instanceof UnavailableError)) {
      this.#log.error({ err: error, requestId }, 'internal error');
      return;
    }
    const { dependency } = error;
    if (dependency === 'caller') {
      this.#log.debug({ requestId }, 'the body did not arrive in time');
      return;
    }
    const suppressed = this.#suppressedOf(dependency);
    if (suppressed === null) return;
    this.#log.warn({ err: error, requestId, dependency, suppressed }, 'answered 503');
  }

  /**
   * A secret that is missing or wrong, or an ID of a project that cannot be one: a mistake in the
   * settings of a host. Lines about a project are counted by themselves, so that no one hides them
   * with made-up projects, nor one host those of another project's.
   *
   * @param projectId the project that the call names; absent where there is none
   */
  reportRefusal(
    problem: string,
    { requestId, peer, userAgent }: RefusedCaller,
    projectId: string | undefined,
  ): void {
    const isSecret = problem !== 'invalid_project_id';
    if (isSecret) this.#mistakes?.refusedSecret();
    const words = isSecret ? 'refused a project secret' : 'refused a project ID';
    const kind = projectId === undefined ? words : this.#kindOf(projectId);
    const suppressed = this.#suppressedOf(kind);
    if (suppressed === null) return;
    const agent = userAgent === undefined ? {} : { userAgent: shortened(userAgent, 128) };
    const named = projectId === undefined ? {} : { projectId };
    this.#log.info({ requestId, ...named, peer, ...agent, problem, suppressed }, words);
  }

  /**
   * A gateway's question that says not, or in two ways, which request it is about: a mistake in its
   * configuration, or a caller who tries to be judged by another request than the one that is served.
   *
   * @param problem completes the sentence "the gateway …"
   */
  reportUnclearRequest(problem: string, requestId: string): void {
    this.#mistakes?.unclearRequest();
    const suppressed = this.#suppressedOf('unclear request');
    if (suppressed === null) return;
    this.#log.info(
      { requestId, problem: `the gateway ${problem}`, suppressed },
      'denied a request that its gateway did not name; compare the gateway with examples/gateways',
    );
  }

  /**
   * A setting of a gateway with which it can have no verdict.
   *
   * @param problem completes the sentence "the gateway …"
   */
  reportGatewayMistake(problem: string, requestId: string): void {
    this.#mistakes?.unclearRequest();
    const suppressed = this.#suppressedOf('gateway mistake');
    if (suppressed === null) return;
    this.#log.warn(
      { requestId, problem: `the gateway ${problem}`, suppressed },
      'refused a question of a gateway; correct its configuration, so that its calls have a verdict',
    );
  }

  /** That of a project; one that all others share while too many have their own. */
  #kindOf(projectId: string): string {
    const kind = `secret of ${projectId}`;
    if (this.#last.has(kind) || this.#last.size < KINDS_MAX) return kind;
    const now = performance.now();
    for (const [other, { at }] of this.#last) {
      if (now - at >= INTERVAL_MS) this.#last.delete(other);
    }
    return this.#last.size < KINDS_MAX ? kind : 'secret of a project';
  }

  /** How many lines were suppressed since the last one; null where this one is too. */
  #suppressedOf(kind: string): number | null {
    const now = performance.now();
    const last = this.#last.get(kind);
    if (last !== undefined && now - last.at < INTERVAL_MS) {
      last.suppressed += 1;
      return null;
    }
    this.#last.set(kind, { at: now, suppressed: 0 });
    return last?.suppressed ?? 0;
  }
}
