import type { TokenAccess } from '@ceiba/domain/constants';

export const ACCESS_WORDS = {
  read: 'Read only',
  write: 'Read and write',
} as const satisfies Record<TokenAccess, string>;
