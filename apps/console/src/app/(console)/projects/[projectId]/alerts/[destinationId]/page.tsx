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
import { Notice, type NoticeProps } from '#components/ui/notice.tsx';
import { PageLinks } from '#components/ui/pagination.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { type PageProps, textOf } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { LiveRefresh } from '../../_components/live-refresh.tsx';
import { alertGroups } from '../_components/alert-groups.ts';
import { DeliveryTable } from '../_components/delivery-table.tsx';
import { DestinationButton } from '../_components/destination-button.tsx';
import {
  ChangeDestination,
  DeleteDestination,
  RotateSigningSecret,
} from '../_components/destination-settings.tsx';
import { SigningSecretStep } from '../_components/signing-secret-step.ts';
import { StateChip } from '../_components/state-chip.tsx';

export const metadata: Metadata = { title: 'Alerts' };

const PAGE_SIZE = 25;
/** While something waits, the page shows soon how it ended. */
const REFRESH_MS = 3_000;

export default async function DestinationPage({
  params,
  searchParams,
}: PageProps<'projectId' | 'destinationId'>) {
  const { destinationId, ...address } = await params;
  const { project, may } = await requireProject(address.projectId);
  if (!z.guid().safeParse(destinationId).success) notFound();
  const ref = { projectId: project.projectId, destinationId };
  const query = await searchParams;
  const cursor = textOf(query, 'cursor') || null;
  const [destination, deliveries] = await withDatabase((db) =>
    Promise.all([
      getAlertDestination(db, ref),
      listAlertDeliveries(db, { ...ref, cursor, limit: PAGE_SIZE, orFirst: true }),
    ]),
  );
  if (destination === null) notFound();
  const mayChange = may('change_alerts');
  const isEnabled = destination.disabledReason === null;
  const isWanted = destination.kind === 'webhook' || destination.consent === 'confirmed';
  const here = `/projects/${ref.projectId}/alerts/${destinationId}`;
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
          guide="alert_destination"
          actions={
            mayChange &&
            isEnabled &&
            isWanted && <DestinationButton change="test" destinationId={destinationId} />
          }
        />
        <Problem {...destination} />
        {isEnabled && !isWanted && (
          <Unconfirmed
            {...destination}
            action={mayChange && <DestinationButton change="ask" destinationId={destinationId} />}
          />
        )}
        <Section title="Deliveries">
          <DeliveryTable
            destinationId={destinationId}
            deliveries={deliveries.items}
            maySend={mayChange && isEnabled && isWanted}
          />
          <PageLinks here={here} query={query} page={deliveries} names={['Newer', 'Older']} />
        </Section>
        {mayChange && (
          <>
            <Section title="Settings">
              <ChangeDestination
                destinationId={destinationId}
                kind={destination.kind}
                address={destination.address}
                description={destination.description}
                eventTypes={destination.eventTypes}
                groups={alertGroups(destination.eventTypes)}
              />
            </Section>
            <Section title="Manage">
              <div className="flex flex-wrap gap-2">
                <DestinationButton
                  change={isEnabled ? 'disable' : 'enable'}
                  destinationId={destinationId}
                />
                {destination.kind === 'webhook' && (
                  <RotateSigningSecret destinationId={destinationId} />
                )}
                <DeleteDestination destinationId={destinationId} />
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
  const since = (at: Date | null) =>
    at && (
      <>
        {' '}
        since <RelativeTime at={at} />
      </>
    );
  const problems: Record<NonNullable<AlertDestination['disabledReason']>, NoticeProps> = {
    gone: {
      tone: 'error',
      title: 'Disabled: the receiver answered 410 Gone',
      children: 'It asked for no further alerts. Enable it once its URL is right.',
    },
    failing: {
      tone: 'error',
      title: `Disabled after ${FAILING_DAYS} days of failures`,
      children: (
        <>
          No attempt succeeded{since(failingSince)}. Repair the receiver, enable it, and send the
          failed alerts again.
        </>
      ),
    },
    user: {
      tone: 'warning',
      title: 'Disabled',
      children: <>No alert is sent here{since(disabledAt)}.</>,
    },
  };
  const failing: NoticeProps | null = failingSince && {
    tone: 'warning',
    title: 'Attempts are failing',
    children: (
      <>
        No attempt succeeded{since(failingSince)}. After {FAILING_DAYS} days the destination is
        disabled.
      </>
    ),
  };
  const problem = disabledReason === null ? failing : problems[disabledReason];
  return problem && <Notice {...problem} className="mb-4" />;
}
