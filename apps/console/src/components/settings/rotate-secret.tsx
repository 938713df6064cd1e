'use client';

import { createContext, type ReactNode, useContext, useState } from 'react';
import {
  type RotatedSecret,
  rotateSecret,
} from '../../app/(console)/projects/[projectId]/settings/actions.ts';
import { environmentFile } from '../../lib/host-snippets.ts';
import { ActionForm } from '../action-form.tsx';
import { Button } from '../ui/button.tsx';
import { AlertDialog, AlertDialogCancel, DialogFooter } from '../ui/dialog.tsx';
import { IdChip } from '../ui/id-chip.tsx';
import { Checkbox } from '../ui/input.tsx';
import { SecretReveal } from '../ui/secret-reveal.tsx';
import { PageHeader } from '../ui/section.tsx';
import { AbsoluteTime, useClock } from '../ui/time.tsx';
import { durationWords, overlapAt } from './overlap.ts';

const ShowContext = createContext<(secret: RotatedSecret) => void>(() => {});

/** The page, or in its place the one step in which a new secret is shown. */
export function SecretStep({ children }: { children: ReactNode }) {
  const [rotated, setRotated] = useState<RotatedSecret>();
  if (rotated === undefined) return <ShowContext value={setRotated}>{children}</ShowContext>;
  const file = environmentFile(rotated);
  return (
    <>
      <PageHeader
        title="The secret is rotated"
        description={
          <>
            Give the new one to every host before{' '}
            <AbsoluteTime at={rotated.previousSecretExpiresAt} />: until then the one before is
            accepted as well, so nothing stops meanwhile.
          </>
        }
      />
      <SecretReveal
        name="project secret"
        secret={rotated.projectSecret}
        fileName="ceiba.env"
        fileText={file}
        snippets={[{ name: '.env', code: file }]}
        onDone={() => setRotated(undefined)}
      >
        <dl className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <dt className="font-medium">Project ID</dt>
          <dd className="min-w-0">
            <IdChip id={rotated.projectId} label="project ID" whole />
          </dd>
        </dl>
      </SecretReveal>
    </>
  );
}

export interface RotateSecretProps {
  projectId: string;
  /** ISO 8601. It names the secret that is replaced. */
  secretCreatedAt: string;
  previousExpiresAt: string | null;
}

export function RotateSecret({ projectId, secretCreatedAt, previousExpiresAt }: RotateSecretProps) {
  const show = useContext(ShowContext);
  const { now } = useClock();
  const overlap = overlapAt({ createdAt: secretCreatedAt, previousExpiresAt }, now);
  return (
    <AlertDialog
      trigger={<Button>Rotate secret…</Button>}
      title={overlap ? 'Rotate the secret again?' : 'Rotate the project secret?'}
      description={
        overlap ? (
          <p>
            Two secrets are accepted now, and never three. Rotating again ends the previous one at
            once, {durationWords(overlap.remainingMs)} early: hosts that still use it are answered
            401 from the next request on. The one that is current now stays valid for 24 hours more.
          </p>
        ) : (
          <p>
            You are shown a new secret, once. The one that is current now stays valid for 24 hours
            more, so that you can change your hosts one by one and nothing stops.
          </p>
        )
      }
    >
      <ActionForm
        action={rotateSecret}
        hidden={{ projectId, replaces: secretCreatedAt }}
        onDone={show}
      >
        {({ pending, errorOf }) => (
          <>
            {overlap && (
              <>
                <Checkbox
                  name="dropsPrevious"
                  value="yes"
                  aria-invalid={errorOf('dropsPrevious') ? true : undefined}
                  label="No host uses the previous secret any more, or it may stop working."
                />
                <p aria-live="polite" className="mt-2 text-small text-deny-text empty:hidden">
                  {errorOf('dropsPrevious') && 'Tick this first: the previous secret ends at once.'}
                </p>
              </>
            )}
            <DialogFooter>
              <AlertDialogCancel asChild>
                <Button>Keep secret</Button>
              </AlertDialogCancel>
              <Button type="submit" variant={overlap ? 'danger' : 'primary'} pending={pending}>
                Rotate secret
              </Button>
            </DialogFooter>
          </>
        )}
      </ActionForm>
    </AlertDialog>
  );
}
