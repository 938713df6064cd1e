import { createElement, Fragment } from 'react';
import { legible } from '../../lib/text.ts';

/** A name that a user chose, isolated so that it cannot change the direction of the text around it. */
export function Name({ children }: { children: string }) {
  return <bdi>{legible(children)}</bdi>;
}

/** A text with such names in it: named`Revoke ${displayName}?`. */
export const named = (texts: TemplateStringsArray, ...names: string[]) =>
  createElement(
    Fragment,
    null,
    ...texts.flatMap((text, index) => [
      text,
      index < names.length && <Name key={index}>{names[index] ?? ''}</Name>,
    ]),
  );
