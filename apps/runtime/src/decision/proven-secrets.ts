import type { LookupItem, LookupRow } from '@ceiba/schema';
import { Deadline, type MonotonicClock } from '../deadline.ts';
import type { Asker } from './call.ts';
import { projectOfSecret } from './project-secret.ts';

/** How long a secret stays proven after the last call that a lookup found right, in ms. */
const PROVEN_FOR_MS = 5 * 60_000;
/** So many secrets are remembered; the one that was proven first makes room. */
const PROVEN_MAX = 10_000;
/** So many lookups of calls whose secret is not proven are under way, over all projects. */
const LOOKUPS_MAX = 64;

type Caller = Pick<Asker, 'projectId' | 'secretDigest'>;

/** A project and one of its secrets, which a lookup has found right. */
export interface Proof extends Readonly<Caller> {
  untilMs: number;
}

export interface ProvenSecretsOptions {
  find(item: LookupItem, deadline: Deadline): Promise<LookupRow>;
  /** The longest that a call may wait to be proven, in ms. */
  deadlineMs: number;
  now: MonotonicClock;
}

/** Why a secret is not proven. A caller gets one answer for both, the log says which. */
export type NotProven = 'wrong_secret' | 'unknown_project';

interface Waiter {
  caller: Caller;
  deadline: Deadline;
  resolve(proof: Proof | NotProven): void;
  reject(error: unknown): void;
}

/** The calls of one peer that wait, by the project that they name. */
type WaitersByProject = Map<string, Waiter[]>;

/**
 * Decides who may wait in a project's share of the Runtime, and never about a verdict: a lookup judges
 * the secret of each call (rule proven-secret).
 *
 * Anyone can name a project. So a call is charged to it once a lookup has found its secret right in
 * the last minutes. Every other call waits, before its body is read, for a lookup of its own in a
 * small share over all projects, and only calls with a right secret leave it for their project's.
 */
export class ProvenSecrets {
  readonly #find: ProvenSecretsOptions['find'];
  readonly #deadlineMs: number;
  readonly #now: MonotonicClock;
  readonly #proofs = new Map<string, Proof>();
  /** Peers take turns, and each peer's projects are looked up in order of arrival. */
  readonly #waiting = new Map<string, WaitersByProject>();
  #lookups = 0;

  constructor({ find, deadlineMs, now }: ProvenSecretsOptions) {
    this.#find = find;
    this.#deadlineMs = deadlineMs;
    this.#now = now;
  }

  /** How many secrets it remembers. */
  get size(): number {
    return this.#proofs.size;
  }

  /** @returns null where the secret has to be proven first */
  find(caller: Caller): Proof | null {
    const proof = this.#proofs.get(keyOf(caller));
    return proof !== undefined && proof.untilMs > this.#now() ? proof : null;
  }

  /**
   * Looks the project up, after the call arrived: a secret that was just rotated in is right at once.
   *
   * @param peer the address that the call came from
   * @throws UnavailableError for any outage, and where the deadline passes
   */
  prove(caller: Caller, peer: string, deadline: Deadline): Promise<Proof | NotProven> {
    const proof = new Promise<Proof | NotProven>((resolve, reject) => {
      const projects: WaitersByProject = this.#waiting.get(peer) ?? new Map();
      const waiters = projects.get(caller.projectId) ?? [];
      waiters.push({ caller, deadline, resolve, reject });
      projects.set(caller.projectId, waiters);
      this.#waiting.set(peer, projects);
    });
    this.#startLookups();
    return deadline.race('overload', proof);
  }

  /** Keeps the proof of a call that was decided. */
  renew(proof: Proof): void {
    proof.untilMs = this.#now() + PROVEN_FOR_MS;
  }

  /** Forgets the proof of a call whose secret was found wrong. */
  forget(proof: Proof): void {
    this.#proofs.delete(keyOf(proof));
  }

  #startLookups(): void {
    while (this.#lookups < LOOKUPS_MAX) {
      const waiters = this.#next();
      if (waiters === null) return;
      void this.#judge(waiters.filter(({ deadline }) => !deadline.isPast));
    }
  }

  /** The calls of the next peer that wait for its next project. */
  #next(): Waiter[] | null {
    for (const [peer, projects] of this.#waiting) {
      this.#waiting.delete(peer);
      for (const [projectId, waiters] of projects) {
        projects.delete(projectId);
        if (projects.size > 0) this.#waiting.set(peer, projects);
        return waiters;
      }
    }
    return null;
  }

  /** Judges calls that name one project. */
  async #judge(waiters: readonly Waiter[]): Promise<void> {
    const [first] = waiters;
    if (first === undefined) return;
    this.#lookups += 1;
    try {
      const item = { projectId: first.caller.projectId, apiKeyDigest: null };
      const { project } = await this.#find(item, new Deadline(this.#deadlineMs));
      for (const { caller, resolve } of waiters) {
        if (project === null) resolve('unknown_project');
        else if (projectOfSecret(project, caller.secretDigest) === null) resolve('wrong_secret');
        else resolve(this.#add(caller));
      }
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    }
    this.#lookups -= 1;
    this.#startLookups();
  }

  #add(caller: Caller): Proof {
    const { projectId } = caller;
    // A copy with a store of its own: a small buffer shares one of 8 KiB, and would keep all of it.
    const secretDigest = Buffer.alloc(caller.secretDigest.length, caller.secretDigest);
    const proof = { projectId, secretDigest, untilMs: this.#now() + PROVEN_FOR_MS };
    const [oldest] = this.#proofs.keys();
    if (this.#proofs.size >= PROVEN_MAX && oldest !== undefined) this.#proofs.delete(oldest);
    this.#proofs.set(keyOf(proof), proof);
    return proof;
  }
}

const keyOf = ({ projectId, secretDigest }: Caller) => projectId + secretDigest.toString('latin1');
