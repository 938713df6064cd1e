'use client';

import './globals.css';
import { Fault } from '#components/fault.tsx';

/** The last net, when the frame of every page failed. It has to bring its own document. */
export default function FrameFault({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" data-theme="system">
      <body>
        <title>Ceiba</title>
        <main id="content" className="px-4">
          <Fault error={error} retry={retry} />
        </main>
      </body>
    </html>
  );
}
