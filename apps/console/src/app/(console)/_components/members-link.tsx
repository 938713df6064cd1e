'use client';

import { useParams } from 'next/navigation';
import { TextLink } from '#components/ui/text-link.tsx';

/** Links to the members. The page of a refusal gets no parameters from Next.js. */
export function MembersLink() {
  const { projectId } = useParams<{ projectId?: string }>();
  if (projectId === undefined) return <em>Members</em>;
  return (
    <TextLink href={`/projects/${projectId}/members`} className="font-medium text-accent-text">
      Members
    </TextLink>
  );
}
