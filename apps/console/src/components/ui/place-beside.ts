const GAP_PX = 6;
const MARGIN_PX = 8;

export interface Placement {
  /** The side of the anchor, or the other one if the panel fits only there. */
  side: 'above' | 'below';
  align: 'start' | 'center' | 'end';
}

/** Places a fixed panel next to its anchor, or over it where the window is too low for both. */
export function placeBeside(panel: HTMLElement, anchor: Element, placement: Placement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const above = at.top - GAP_PX - height;
  const below = at.bottom + GAP_PX;
  const fitsBelow = below + height <= window.innerHeight - MARGIN_PX;
  const fitsAbove = above >= MARGIN_PX;
  const goesBelow = placement.side === 'below' ? fitsBelow || !fitsAbove : !fitsAbove;
  const left = { start: at.left, center: at.left + (at.width - width) / 2, end: at.right - width };
  panel.style.top = `${clamp(goesBelow ? below : above, window.innerHeight - height - MARGIN_PX)}px`;
  panel.style.left = `${clamp(left[placement.align], window.innerWidth - width - MARGIN_PX)}px`;
}

const clamp = (value: number, highest: number) => Math.max(MARGIN_PX, Math.min(value, highest));
