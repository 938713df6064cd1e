import type { ApiKeyRow } from '@ceiba/schema';
import { RelativeTime } from '#components/ui/time.tsx';

/** Whether the secret that a replacement left for a while is still in use. */
export const OldSecretUse = ({ previous }: { previous: NonNullable<ApiKeyRow['previous']> }) =>
  previous.lastUsedAt === null ? (
    'not used since'
  ) : (
    <>
      last used <RelativeTime at={previous.lastUsedAt} />
    </>
  );
