/** The parts of the guides that pages link to. A test checks that each exists. */
export const GUIDE_TOPICS = {
  firstAccount: {
    href: '/docs/operations#the-first-account',
    name: 'How to set up the first account',
  },
  firstCall: { href: '/docs/console#a-first-call', name: 'A first call, step by step' },
  overview: { href: '/docs/console#overview', name: 'What is counted' },
  keys: { href: '/docs/console#keys', name: 'How keys work' },
  policies: { href: '/docs/console#policies', name: 'How policies match' },
  subscription: { href: '/docs/console#subscription', name: 'How limits work' },
  usage: { href: '/docs/console#usage', name: 'How usage is counted' },
  requests: { href: '/docs/console#requests', name: 'What is recorded' },
  simulator: { href: '/docs/console#simulator', name: 'What the simulator reads' },
  alerts: { href: '/docs/alerts', name: 'How alerts are sent and verified' },
  members: { href: '/docs/console#members', name: 'What each role may do' },
  audit: { href: '/docs/console#audit', name: 'What is audited' },
  settings: { href: '/docs/console#settings', name: 'How to rotate the secret' },
  administration: { href: '/docs/console#administration', name: 'What administrators do' },
} as const;

export type GuideTopic = keyof typeof GUIDE_TOPICS;
