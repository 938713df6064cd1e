/** How far below the top of the window a part may begin that is being read. */
const READ_FROM_PX = 100;

/** Keeps `aria-current` on the link to the part that is being read, in an index of links to parts. */
export function markPart(indexId: string, signal: AbortSignal): void {
  const mark = () => {
    const links = [...(document.getElementById(indexId)?.querySelectorAll('a') ?? [])];
    const current = currentOf(links);
    for (const link of links) {
      if (link === current) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    }
  };
  if (signal.aborted) return;
  for (const event of ['scroll', 'resize', 'hashchange']) {
    addEventListener(event, mark, { signal, passive: true });
  }
  mark();
}

/**
 * The part that the address names, if the page is where a link to it leads: at the end of a page several
 * parts may be in view that cannot be scrolled to the top. Else the last part at the end, and otherwise the
 * one at the top.
 */
function currentOf(links: readonly HTMLAnchorElement[]): HTMLAnchorElement | undefined {
  const end = document.documentElement.scrollHeight - innerHeight;
  const named = links.find(({ hash }) => hash !== '' && hash === location.hash);
  const leadsTo = Math.min(end, scrollY + topOf(named));
  if (Math.abs(leadsTo - scrollY) <= 1) return named;
  if (scrollY > 0 && scrollY >= end - 1) return links.at(-1);
  return links.findLast((link) => topOf(link) <= READ_FROM_PX) ?? links[0];
}

/** How far a link to a part would scroll the page, in pixels; not a number without the part. */
function topOf(link: HTMLAnchorElement | undefined): number {
  const part = link && document.getElementById(link.hash.slice(1));
  if (!part) return Number.NaN;
  return (
    part.getBoundingClientRect().top - Number.parseFloat(getComputedStyle(part).scrollMarginTop)
  );
}
