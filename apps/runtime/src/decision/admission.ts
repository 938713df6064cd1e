import type { MonotonicClock } from '../deadline.ts';

/** A decision is fast within this part of its deadline: 20 ms of 500. */
const FAST_PART = 1 / 25;
/** How long no decision may be fast before there is an overload, as a part of the deadline. */
const PERIOD_PART = 1 / 5;
/** So many requests may always be in flight, of all projects together; slow ones get equal shares. */
const SMALLEST_LIMIT = 64;
/** So many bytes of bodies may be on their way. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;
/** Of the decisions and the bytes that may be in flight, one project may have this part. */
const PROJECT_PART = 1 / 2;
/** By how many requests a project's limit rises after a period in which most decisions were fast. */
const GROWTH = 8;

export interface AdmissionOptions {
  /** In flight, of all requests together. */
  maxDecisions: number;
  /** The time that a decision may take, in ms. */
  deadlineMs: number;
  now: MonotonicClock;
  /** Called for each request that leaves, with the time since it was admitted, in ms. */
  onAnswer?: (tookMs: number) => void;
}

/** What is in flight. */
export interface AdmissionState {
  requests: number;
  decisions: number;
  /** How many requests of the project with the lowest limit may be in flight. */
  limit: number;
  /** Projects that it remembers. */
  projects: number;
}

/** A request in flight; it counts as one decision until `countDecisions`. */
export interface Admitted {
  /**
   * A batch may exceed a limit of decisions that nothing else in flight counts for.
   *
   * @returns false, and counts as before, where there is no room or the request has left
   */
  countDecisions(decisions: number): boolean;
  /**
   * Frees its places; call it once.
   *
   * @param wasDecided False for an error: a quick one says nothing about how long decisions take.
   */
  leave(wasDecided: boolean): void;
}

/**
 * Refuses requests early when more arrive than can be decided (rule early-refusal).
 *
 * A queue shows in a project's fastest decision: while even that one is slow for a whole period, its
 * requests wait for each other. From then on only as many of the project are in flight as are decided
 * within the time of a fast decision. Short bursts and single slow decisions are no overload. A
 * project with fast decisions is refused only where it has half of all decisions in flight itself, or
 * others have them all, of which one project can have half. So it is with the bytes of large bodies.
 */
export class Admission {
  readonly #maxDecisions: number;
  readonly #maxDecisionsOfProject: number;
  readonly #fastMs: number;
  readonly #periodMs: number;
  readonly #now: MonotonicClock;
  readonly #onAnswer: ((tookMs: number) => void) | undefined;
  /** Each project that asked in this period or the last one, or has requests in flight. */
  readonly #projects = new Map<string, Project>();
  #requests = 0;
  #decisions = 0;
  #bodyBytes = 0;
  #periodStartedAt: number;

  constructor({ maxDecisions, deadlineMs, now, onAnswer }: AdmissionOptions) {
    this.#maxDecisions = maxDecisions;
    this.#maxDecisionsOfProject = Math.ceil(maxDecisions * PROJECT_PART);
    this.#fastMs = deadlineMs * FAST_PART;
    this.#periodMs = deadlineMs * PERIOD_PART;
    this.#now = now;
    this.#onAnswer = onAnswer;
    this.#periodStartedAt = now();
  }

  get state(): AdmissionState {
    let limit = this.#maxDecisions;
    for (const project of this.#projects.values()) limit = Math.min(limit, project.limit);
    return {
      requests: this.#requests,
      decisions: this.#decisions,
      limit,
      projects: this.#projects.size,
    };
  }

  /**
   * @param bodyBytes How long the body may be; 0 where it is small enough not to count.
   * @returns null where the request has to be refused
   */
  admit(projectId: string, bodyBytes = 0): Admitted | null {
    const admittedAt = this.#now();
    this.#judgePeriod(admittedAt);
    const project = this.#projectOf(projectId);
    if (this.#isFullFor(project, bodyBytes) || this.#isBeyondLimit(project)) {
      project.refused += 1;
      return null;
    }
    this.#countRequest(project, 1, bodyBytes);
    this.#countDecisions(project, 1);
    let decisions = 1;
    return {
      countDecisions: (count) => {
        const ofOthers = this.#decisions - decisions;
        const ofProject = project.decisions - decisions;
        const fits =
          isWithin(this.#maxDecisions, ofOthers, count) &&
          isWithin(this.#maxDecisionsOfProject, ofProject, count);
        if (decisions === 0 || !fits) return false;
        this.#countDecisions(project, count - decisions);
        decisions = count;
        return true;
      },
      leave: (wasDecided) => {
        this.#countDecisions(project, -decisions);
        decisions = 0;
        this.#countRequest(project, -1, -bodyBytes);
        this.#noteAnswer(project, this.#now() - admittedAt, wasDecided);
      },
    };
  }

  #projectOf(projectId: string): Project {
    let project = this.#projects.get(projectId);
    if (project === undefined) {
      project = {
        requests: 0,
        decisions: 0,
        bodyBytes: 0,
        limit: Number.POSITIVE_INFINITY,
        ...NOTHING,
      };
      this.#projects.set(projectId, project);
    }
    return project;
  }

  #isFullFor(project: Project, bodyBytes: number): boolean {
    return (
      this.#decisions >= this.#maxDecisions ||
      project.decisions >= this.#maxDecisionsOfProject ||
      this.#bodyBytes + bodyBytes > BODY_BYTES_MAX ||
      project.bodyBytes + bodyBytes > BODY_BYTES_MAX * PROJECT_PART
    );
  }

  #isBeyondLimit({ requests, limit }: Project): boolean {
    return this.#requests >= SMALLEST_LIMIT && requests >= limit;
  }

  #countRequest(project: Project, change: 1 | -1, bodyBytes: number): void {
    project.requests += change;
    this.#requests += change;
    project.bodyBytes += bodyBytes;
    this.#bodyBytes += bodyBytes;
  }

  #countDecisions(project: Project, change: number): void {
    project.decisions += change;
    this.#decisions += change;
  }

  #noteAnswer(project: Project, tookMs: number, wasDecided: boolean): void {
    this.#onAnswer?.(tookMs);
    const isFast = tookMs <= this.#fastMs;
    if (isFast && !wasDecided) return;
    project.answered += 1;
    if (isFast) project.fast += 1;
  }

  /** Once a period is over, the decisions in it set each project's limit for the next one. */
  #judgePeriod(now: number): void {
    const tookMs = now - this.#periodStartedAt;
    if (tookMs < this.#periodMs) return;
    this.#periodStartedAt = now;
    const slow = [...this.#projects.values()].filter(isSlow).length;
    for (const [projectId, project] of this.#projects) {
      if (project.requests + project.answered + project.refused === 0) {
        this.#projects.delete(projectId);
        continue;
      }
      if (isSlow(project)) {
        const decided = (project.answered * this.#fastMs) / tookMs;
        project.limit = Math.max(SMALLEST_LIMIT / slow, decided);
      } else if (project.refused === 0) {
        project.limit = Number.POSITIVE_INFINITY;
      } else if (project.fast * 2 > project.answered) {
        project.limit += GROWTH;
      }
      Object.assign(project, NOTHING);
    }
  }
}

/** What a project has in flight, and what happened to its requests in this period. */
interface Project {
  requests: number;
  decisions: number;
  bodyBytes: number;
  limit: number;
  answered: number;
  /** How many of those that were answered were fast. */
  fast: number;
  refused: number;
}

const NOTHING = { answered: 0, fast: 0, refused: 0 };

/** Whether these and the others in flight are within a limit, or there are no others. */
const isWithin = (limit: number, others: number, count: number): boolean =>
  others === 0 || others + count <= limit;

const isSlow = ({ answered, fast }: Project): boolean => answered > 0 && fast === 0;
