import { clsx } from 'clsx';
import type { ComponentProps } from 'react';
import { Link } from './link.tsx';

const LOOKS = {
  plain: 'rounded underline underline-offset-4',
  /** In a list or beside other words, which a line would make restless. */
  quiet: 'rounded underline-offset-4 hover:underline',
  /** The next step. */
  step: 'rounded font-medium text-accent-text hover:underline',
} as const;

/** A link within a text. */
export const TextLink = ({
  look = 'plain',
  className,
  ...link
}: ComponentProps<typeof Link> & { look?: keyof typeof LOOKS }) => (
  <Link className={clsx(LOOKS[look], className)} {...link} />
);
