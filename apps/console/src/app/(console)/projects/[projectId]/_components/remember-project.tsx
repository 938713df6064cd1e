'use client';

import { useRouter } from 'next/navigation';
import { Button, type ButtonProps } from '#components/ui/button.tsx';
import { rememberProject } from '#lib/remembered-projects.ts';

export interface RememberProjectProps extends Pick<ButtonProps, 'variant' | 'className'> {
  cookie: string;
  projectId: string;
  children: string;
}

/** A button that adds the project to a cookie of this browser. */
export function RememberProject({ cookie, projectId, ...button }: RememberProjectProps) {
  const router = useRouter();
  return (
    <Button
      {...button}
      size="sm"
      onClick={() => {
        rememberProject(cookie, projectId);
        router.refresh();
      }}
    />
  );
}
