import { CONFIRMATION_DAYS, FAILING_DAYS } from '@ceiba/domain';
import {
  type AlertDestination,
  getAlertDestination,
  listAlertDeliveries,
  publicAddress,
} from '@ceiba/schema';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { z } from 'zod';
import { Name } from '#components/ui/name.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { PageLinks } from '#components/ui/pagination.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { type SearchParams, textOf, withQuery } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { LiveRefresh } from '../../_components/live-refresh.tsx';
import { alertChoices } from '../_components/alert-choices.ts';
import { DeliveryTable } from '../_components/delivery-table.tsx';
import {
  AskForConfirmation,
  ChangeDestination,
  DeleteDestination,
  DisableDestination,
  EnableDestination,
  SendTest,
} from '../_components/destination-forms.tsx';
import { RotateSigningSecret, SigningSecretStep } from '../_components/secret-step.tsx';
import { StateChip } from '../_components/state-chip.tsx';

export const metadata: Metadata = { title: 'Alerts' };

const PAGE_SIZE = 25;
/** While something waits, the page shows soon how it ended. */
const REFRESH_MS = 3_000;

interface DestinationPageProps {
  params: Promise<{ projectId: string; destinationId: string }>;
  searchParams: SearchParams;
}

export default async function DestinationPage({ params, searchParams }: DestinationPageProps) {
  const { destinationId, ...address } = await params;
  const { project, may } = await requireProject(address.projectId);
  if (!z.guid().safeParse(destinationId).success) notFound();
  const ref = { projectId: project.projectId, destinationId };
  const query = await searchParams;
  const cursor = textOf(query, 'cursor') || null;
  const [destination, deliveries] = await withDatabase((db) =>
    Promise.all([
      getAlertDestination(db, ref),
      listAlertDeliveries(db, { ...ref, cursor, limit: PAGE_SIZE }),
    ]),
  );
  if (destination === null) notFound();
  const mayChange = may('change_alerts');
  const isEnabled = destination.disabledReason === null;
  const isWanted = destination.kind === 'webhook' || destination.consent === 'confirmed';
  const here = `/projects/${ref.projectId}/alerts/${destinationId}`;
  const at = (next: string | null) =>
    next === null ? null : withQuery(here, query, { cursor: next });
  return (
    <Column isNarrow>
      {deliveries.items.some(({ status }) => status === 'pending') && (
        <LiveRefresh everyMs={REFRESH_MS} />
      )}
      <SigningSecretStep>
        <PageHeader
          title={<Name>{destination.description || publicAddress(destination)}</Name>}
          list={{ href: `/projects/${ref.projectId}/alerts`, label: 'All destinations' }}
          description={<Summary destination={destination} mayChange={mayChange} />}
          guide="alerts"
          actions={mayChange && isEnabled && isWanted && <SendTest {...ref} />}
        />
        <Problem {...destination} />
        {isEnabled && !isWanted && (
          <Unconfirmed {...destination} action={mayChange && <AskForConfirmation {...ref} />} />
        )}
        <Section title="Deliveries">
          {deliveries.items.length > 0 ? (
            <DeliveryTable
              {...ref}
              deliveries={deliveries.items}
              maySend={mayChange && isEnabled && isWanted}
            />
          ) : (
            <p className="text-muted">Nothing was sent here yet.</p>
          )}
          <PageLinks
            previous={at(deliveries.previous)}
            next={at(deliveries.next)}
            names={['Newer', 'Older']}
          />
        </Section>
        {mayChange && (
          <>
            <Section title="Settings">
              <ChangeDestination
                {...ref}
                kind={destination.kind}
                address={destination.address}
                description={destination.description}
                choices={alertChoices(destination.eventTypes)}
              />
            </Section>
            <Section title="Manage">
              <div className="flex flex-wrap gap-2">
                {isEnabled ? <DisableDestination {...ref} /> : <EnableDestination {...ref} />}
                {destination.kind === 'webhook' && <RotateSigningSecret {...ref} />}
                <DeleteDestination {...ref} />
              </div>
            </Section>
          </>
        )}
      </SigningSecretStep>
    </Column>
  );
}

function Summary({
  destination,
  mayChange,
}: {
  destination: AlertDestination;
  mayChange: boolean;
}) {
  const { kind, address, previousSecretExpiresAt } = destination;
  // The path of a URL may hold a token.
  const shown = mayChange ? address : publicAddress(destination);
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StateChip {...destination} />
        <span className="wrap-anywhere">{shown}</span>
      </span>
      {kind === 'webhook' && previousSecretExpiresAt && (
        <span className="mt-1 block text-small">
          The previous signing secret ends <RelativeTime at={previousSecretExpiresAt} />.
        </span>
      )}
    </>
  );
}

/** Why an address gets no alerts: it has not answered, or does not want them. */
function Unconfirmed({
  consent,
  action,
}: Pick<AlertDestination, 'consent'> & { action: ReactNode }) {
  if (consent === 'unsubscribed') {
    return (
      <Notice tone="warning" title="Unsubscribed" className="mb-4">
        The address wants no alerts of this project. Its user can change that with the link of a
        mail that it got.
      </Notice>
    );
  }
  return (
    <Notice title="Not confirmed" className="mb-4" action={action}>
      Alerts are sent once the address confirms that it wants them, with the link of a mail. The
      link works for {CONFIRMATION_DAYS} days.
    </Notice>
  );
}

/** Why no alert arrives. */
function Problem({ disabledReason, disabledAt, failingSince }: AlertDestination) {
  if (disabledReason === 'gone') {
    return (
      <Notice tone="error" title="Disabled: the receiver answered 410 Gone" className="mb-4">
        It asked for no further alerts. Enable it once its URL is right.
      </Notice>
    );
  }
  if (disabledReason === 'failing') {
    return (
      <Notice
        tone="error"
        title={`Disabled after ${FAILING_DAYS} days of failures`}
        className="mb-4"
      >
        No attempt succeeded{' '}
        {failingSince && (
          <>
            since <RelativeTime at={failingSince} />
          </>
        )}
        . Repair the receiver, enable it, and send the failed alerts again.
      </Notice>
    );
  }
  if (disabledReason === 'user') {
    return (
      <Notice tone="warning" title="Disabled" className="mb-4">
        No alert is sent here{' '}
        {disabledAt && (
          <>
            since <RelativeTime at={disabledAt} />
          </>
        )}
        .
      </Notice>
    );
  }
  if (failingSince === null) return null;
  return (
    <Notice tone="warning" title="Attempts are failing" className="mb-4">
      No attempt succeeded since <RelativeTime at={failingSince} />. After {FAILING_DAYS} days the
      destination is disabled.
    </Notice>
  );
}
