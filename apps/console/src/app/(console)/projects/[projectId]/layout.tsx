import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { requireProject } from '#server/project.ts';

interface ProjectLayoutProps {
  params: Promise<{ projectId: string }>;
  children: ReactNode;
}

export async function generateMetadata({ params }: ProjectLayoutProps): Promise<Metadata> {
  const { project } = await requireProject((await params).projectId);
  return { title: { default: project.name, template: `%s · ${project.name} · Ceiba` } };
}

/** Each page asks again by itself: a layout is not rendered anew when one moves between pages. */
export default async function ProjectLayout({ params, children }: ProjectLayoutProps) {
  await requireProject((await params).projectId);
  return children;
}
