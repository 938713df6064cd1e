import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { legible } from '#lib/text.ts';
import { requireProject } from '#server/project.ts';

interface ProjectLayoutProps {
  params: Promise<{ projectId: string }>;
  children: ReactNode;
}

export async function generateMetadata({ params }: ProjectLayoutProps): Promise<Metadata> {
  // Where it fails, the layout answers; a title has what it shows.
  const found = await requireProject((await params).projectId).catch(() => null);
  if (found === null) return { title: 'Not found' };
  const { project } = found;
  const name = legible(project.name);
  return { title: { default: name, template: `%s · ${name} · Ceiba` } };
}

/** Each page checks access again, because a layout is not rendered again on navigation. */
export default async function ProjectLayout({ params, children }: ProjectLayoutProps) {
  await requireProject((await params).projectId);
  return children;
}
