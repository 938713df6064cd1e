import { legible } from '../../lib/text.ts';

/** A name that a user chose, isolated so that it cannot change the direction of the text around it. */
export function Name({ children }: { children: string }) {
  return <bdi>{legible(children)}</bdi>;
}
