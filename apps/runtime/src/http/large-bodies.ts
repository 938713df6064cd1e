import type { IncomingMessage } from 'node:http';
import { UnavailableError } from '../unavailable.ts';

/** Bodies up to this size are not counted while they are on their way. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** How many bytes of a body count while it is on its way: as many as are read of a large one. */
export function largeBodyOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { bodyCapBytes }: { bodyCapBytes: number },
): number {
  if (bodyCapBytes <= SMALL_BODY_BYTES) return 0;
  const bytes = Math.min(Number(headers['content-length'] ?? bodyCapBytes), bodyCapBytes);
  return bytes > SMALL_BODY_BYTES ? bytes : 0;
}

/** So many bytes of large bodies may be held by calls of project routes. */
const BYTES_MAX = 64 * 1024 * 1024;
/** Of which one project may have this part. */
const PROJECT_PART = 1 / 2;

/**
 * Bounds the memory of bodies that are over 64 KiB, such as those of imports, from their announcement to
 * the answer.
 */
export class LargeBodies {
  #bytes = 0;
  readonly #ofProjects = new Map<string, number>();

  /** How many projects hold some. */
  get projects(): number {
    return this.#ofProjects.size;
  }

  /**
   * @param bytes How long the body may be; 0 where it is small enough not to count.
   * @returns what frees them; call it once
   * @throws UnavailableError where they have no room
   */
  hold(projectId: string, bytes: number): () => void {
    const ofProject = this.#ofProjects.get(projectId) ?? 0;
    if (this.#bytes + bytes > BYTES_MAX || ofProject + bytes > BYTES_MAX * PROJECT_PART) {
      throw new UnavailableError('overload', 'too many large bodies are under way');
    }
    this.#add(projectId, bytes);
    return () => this.#add(projectId, -bytes);
  }

  #add(projectId: string, bytes: number): void {
    if (bytes === 0) return;
    this.#bytes += bytes;
    const ofProject = (this.#ofProjects.get(projectId) ?? 0) + bytes;
    if (ofProject === 0) this.#ofProjects.delete(projectId);
    else this.#ofProjects.set(projectId, ofProject);
  }
}
