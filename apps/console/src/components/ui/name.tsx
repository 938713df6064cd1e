import { legible } from '../../lib/text.ts';

/** A name that somebody gave: whatever is in it, the line around it reads as it would without. */
export function Name({ children }: { children: string }) {
  return <bdi>{legible(children)}</bdi>;
}
