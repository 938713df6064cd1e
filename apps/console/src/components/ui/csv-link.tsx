import { Download } from 'lucide-react';
import { Button, buttonLooks } from './button.tsx';

/**
 * Downloads what a page shows. On a phone it is short, to fit beside the title.
 *
 * @param href - Null where the page shows nothing that could be downloaded.
 */
export function CsvLink({ href }: { href: string | null }) {
  const label = (
    <>
      <Download aria-hidden="true" />
      <span>
        <span className="max-sm:sr-only">Download </span>CSV
      </span>
    </>
  );
  if (href === null) {
    return (
      <Button disabled className="max-sm:px-3">
        {label}
      </Button>
    );
  }
  return (
    <a className={buttonLooks({ className: 'max-sm:px-3' })} href={href} download>
      {label}
    </a>
  );
}
