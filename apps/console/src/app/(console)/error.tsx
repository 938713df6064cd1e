'use client';

import { Fault } from '#components/fault.tsx';

/** A page that failed leaves the frame around it usable. */
export default function PageFault({ error, retry }: { error: unknown; retry: () => void }) {
  return <Fault error={error} retry={retry} />;
}
