'use client';

import { useRouter } from 'next/navigation';
import { Button } from '#components/ui/button.tsx';
import { CLOSED_CHECKLISTS_COOKIE, rememberProject } from '#lib/remembered-projects.ts';

/** Hides the checklist of a project in this browser. */
export function CloseChecklist({ projectId }: { projectId: string }) {
  const router = useRouter();
  return (
    <Button
      size="sm"
      variant="quiet"
      className="-mr-3"
      onClick={() => {
        rememberProject(CLOSED_CHECKLISTS_COOKIE, projectId);
        router.refresh();
      }}
    >
      Hide
    </Button>
  );
}
