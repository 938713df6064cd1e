import { legible } from '../../lib/text.ts';

/** A name given by a user. Isolated, so that no character in it changes the text around it. */
export function Name({ children }: { children: string }) {
  return <bdi>{legible(children)}</bdi>;
}
