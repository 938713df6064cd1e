/** The rows of the tables of the page that lead somewhere, and where. */
const rows = () =>
  [...document.querySelectorAll<HTMLElement>('main tbody tr')].flatMap((row) => {
    const target =
      row.querySelector<HTMLElement>('a[href]') ?? row.querySelector<HTMLElement>('button, input');
    return target === null || row.offsetParent === null ? [] : [{ row, target }];
  });

/**
 * Moves through the rows of tables: `j` and `k` focus the link of the next and the previous row, which
 * Enter opens as it does any link; `x` selects the row with the focus, where rows can be selected.
 */
export function use(key: string): void {
  const { activeElement } = document;
  if (key === 'x') {
    activeElement?.closest('tr')?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
    return;
  }
  const all = rows();
  const at = all.findIndex(({ row }) => row.contains(activeElement));
  // Outside the rows, both begin with the first one.
  const next = all[at < 0 ? 0 : at + (key === 'j' ? 1 : -1)];
  next?.target.focus();
  next?.row.scrollIntoView({ block: 'nearest' });
}
