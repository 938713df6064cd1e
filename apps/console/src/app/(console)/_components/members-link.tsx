'use client';

import { useParams } from 'next/navigation';
import { Link } from '../../../components/ui/link.tsx';

/** Links to the members. The page of a refusal gets no parameters from Next.js. */
export function MembersLink() {
  const { projectId } = useParams<{ projectId?: string }>();
  if (projectId === undefined) return <em>Members</em>;
  return (
    <Link
      href={`/projects/${projectId}/members`}
      className="rounded font-medium text-accent-text underline underline-offset-4"
    >
      Members
    </Link>
  );
}
