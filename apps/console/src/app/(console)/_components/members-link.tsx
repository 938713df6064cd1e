'use client';

import Link from 'next/link';
import { useParams } from 'next/navigation';

/** The members of the project of the address, which the page that stands for a refusal is not told. */
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
