import { shownOnce } from '#components/shown-once.tsx';
import type { NewAccessToken } from '../access-token-actions.ts';

export const { Step, useShow, before } = shownOnce<NewAccessToken>(
  () => import('./created-token.tsx'),
);
