import { ENTITIES, type Having } from './entities.ts';

/** The parts of the guides that are about no entity. */
export const JOURNEYS = {
  firstAccount: {
    href: '/docs/operations#the-first-account',
    name: 'How to set up the first account',
  },
  firstCall: { href: '/docs/console#a-first-call', name: 'A first call, step by step' },
} as const;

export type GuideTopic = Having<{ guide: object }> | keyof typeof JOURNEYS;

export const guideOf = (topic: GuideTopic): { href: string; name: string } =>
  topic === 'firstAccount' || topic === 'firstCall' ? JOURNEYS[topic] : ENTITIES[topic].guide;
