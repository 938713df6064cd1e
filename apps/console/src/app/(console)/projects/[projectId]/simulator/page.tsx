import type { Metadata } from 'next';
import { GateLine } from '#components/gates.tsx';
import { GATE_NAMES } from '#components/simulation/simulation.ts';
import { Column, PageHeader } from '#components/ui/section.tsx';
import { type PageProps, textOf } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { simulate } from '#server/simulate.ts';
import { Simulator } from './_components/simulator.tsx';
import { readKeyChoices } from './key-choices.ts';

export const metadata: Metadata = { title: 'Simulator' };

export default async function SimulatorPage({ params, searchParams }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId, 'simulate');
  const query = await searchParams;
  const asked = textOf(query, 'apiKeyId');
  const method = textOf(query, 'method') || 'GET';
  const path = textOf(query, 'path');
  const keys = await withDatabase((db) => readKeyChoices(db, project.projectId, asked));
  const initial =
    path.startsWith('/') && !keys.isGone && keys.source !== 'pasted'
      ? await withDatabase((db) =>
          simulate(
            db,
            { project, may },
            {
              credential: keys.chosen === null ? { presented: null } : { apiKeyId: keys.chosen.id },
              method,
              path,
            },
          ),
        )
      : null;
  return (
    <Column>
      <PageHeader
        title="Simulator"
        guide="simulation"
        description="Test how a call would be decided right now. Nothing is charged."
      />
      <Simulator
        projectId={project.projectId}
        {...keys}
        method={method}
        path={path}
        initial={initial}
      >
        <div className="rounded border border-dashed border-line-strong/60 p-4 sm:p-6">
          <p className="mb-4 text-muted">
            Every call goes through these gates in this order. The first one that fails is the
            denial reason.
          </p>
          <GateLine
            label="Gates in order"
            gates={Object.entries(GATE_NAMES).map(([id, name]) => ({
              id,
              name,
              state: 'not_reached',
            }))}
          />
        </div>
      </Simulator>
    </Column>
  );
}
