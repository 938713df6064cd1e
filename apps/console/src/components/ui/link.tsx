// biome-ignore lint/style/noRestrictedImports: every other file uses the component below
import NextLink from 'next/link';
import type { ComponentProps } from 'react';

/**
 * A link to a page of the console, which is requested when the link is followed. Pages are rendered
 * per request, so prefetching each link in view would be many requests that bring nothing to show.
 */
export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />;
}
