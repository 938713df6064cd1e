import { listAlertDestinations } from '@ceiba/schema';
import type { Metadata } from 'next';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { configuredMailer } from '#server/mail.ts';
import { requireProject } from '#server/project.ts';
import { alertGroups } from './_components/alert-groups.ts';
import { DestinationTable } from './_components/destination-table.tsx';
import { AddMailAddress, AddWebhook } from './_components/new-destination.tsx';
import { SigningSecretStep } from './_components/signing-secret-step.ts';

export const metadata: Metadata = { title: 'Alerts' };

export default async function AlertsPage({ params }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const { projectId } = project;
  const destinations = await withDatabase((db) => listAlertDestinations(db, projectId));
  const groups = alertGroups();
  return (
    <Column>
      <SigningSecretStep>
        <PageHeader
          title="Alerts"
          description="Where Ceiba reports what goes wrong, such as a quota that is nearly used or more denials than usual."
          guide="alert_destination"
        />
        {destinations.length > 0 ? (
          <Section title="Destinations">
            <DestinationTable projectId={projectId} destinations={destinations} />
          </Section>
        ) : (
          <div className="mb-4">
            <EmptyState title="No destinations yet">
              Without one, no alert of this project is sent.{' '}
              {may('change_alerts')
                ? 'Add a webhook or a mail address below.'
                : 'A developer or the owner can add one.'}
            </EmptyState>
          </div>
        )}
        {may('change_alerts') && (
          <Section title="Add a destination">
            <div className="grid gap-2">
              <AddWebhook groups={groups} isOpen={destinations.length === 0} />
              {configuredMailer() === undefined ? (
                <p className="mt-2 text-muted">
                  Mail is off. An administrator turns it on with the settings <code>SMTP_URL</code>{' '}
                  and <code>MAIL_FROM</code> of the console.
                </p>
              ) : (
                <AddMailAddress groups={groups} />
              )}
            </div>
          </Section>
        )}
      </SigningSecretStep>
    </Column>
  );
}
