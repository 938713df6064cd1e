import type { IConfiguration, IForbiddenRuleType } from 'dependency-cruiser';

/**
 * The allowed imports, for dependency-cruiser. `imports.test.ts` checks them in the repository, and
 * checks each rule against a small tree that breaks it.
 */
const config: IConfiguration = {
  forbidden: [
    arrow('packages/contract', []),
    arrow('packages/domain', ['packages/contract']),
    arrow('packages/process', ['packages/contract', 'packages/domain']),
    arrow('packages/schema', ['packages/contract', 'packages/domain']),
    arrow('packages/alerts', ['packages/(contract|domain|process|schema)']),
    arrow('packages/manage', ['packages/(contract|domain|schema)']),
    arrow('packages/sdk', ['packages/contract']),
    arrow('packages/build', []),
    arrow('packages/devstack', ['packages/(build|domain)']),
    arrow('apps/[^/]+', ['packages/(alerts|build|contract|domain|manage|process|schema)']),
    arrow('examples/[^/]+', ['packages/sdk']),
    arrow('bench', ['packages/(contract|devstack|domain|schema|sdk)']),
    {
      name: 'by-name',
      comment: 'Workspaces import each other by name, never by a path.',
      severity: 'error',
      from: { path: WORKSPACE() },
      to: {
        path: WORKSPACE(),
        pathNot: '^$1/',
        dependencyTypes: ['local', 'localmodule'],
      },
    },
    {
      name: 'no-tests-in-code',
      comment: 'Code that ships does not import tests, launchers or build tools.',
      severity: 'error',
      from: {
        path: '^(packages|apps|examples)/[^/]+/(src|app|lib)/',
        pathNot: [TEST(), '^packages/(build|devstack)/'],
      },
      to: { path: '^(tests|scripts|packages/(build|devstack))/|\\.(test|fixture)\\.[jt]sx?$' },
    },
    {
      name: 'before-install',
      comment: 'The bootstrap runs before `npm ci`: it imports packages only dynamically.',
      severity: 'error',
      from: { path: '^scripts/bootstrap\\.mjs$' },
      to: { path: '(^|/)node_modules/|^packages/', dynamic: false },
    },
    {
      name: 'resolvable',
      comment: 'An import names an existing file, or an export of a package.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-circle',
      comment:
        'Files that import each other belong together, or share code that belongs in a third.',
      severity: 'error',
      from: { pathNot: '^tests/' },
      to: { circular: true },
    },
    made('packages/contract', 'zod'),
    made('packages/domain', 'crypto|zlib|@node-rs/argon2'),
    made('packages/manage', 'crypto|yaml|zod'),
    made('packages/process', 'diagnostics_channel|http|ioredis|net|nodemailer|os|pino|tls|zod'),
    made('packages/schema', 'drizzle-orm|postgres|zod', true),
    made('packages/sdk', '(?!)', true),
    {
      name: 'sql-stays-in-schema',
      comment: 'Code outside packages/schema calls verbs.',
      severity: 'error',
      from: { path: WORKSPACE(), pathNot: ['^packages/(schema|devstack)/', TEST(), '^bench/'] },
      to: { path: '(^|/)node_modules/(drizzle-orm|drizzle-kit|postgres|pg)/' },
    },
    {
      name: 'tables-stay-in-schema',
      comment: 'The index of packages/schema exports verbs, never tables.',
      severity: 'error',
      from: { path: '^packages/schema/src/index\\.ts$' },
      to: { path: '^packages/schema/src/.*\\btables\\.ts$' },
    },
    {
      name: 'constants-import-nothing',
      comment:
        'Client components import these two of domain, so they must not lead to Node modules.',
      severity: 'error',
      from: { path: '^packages/domain/src/(?:constants|limits)\\.ts$' },
      to: { dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'core-knows-no-http',
      comment: 'A decision returns values; only the routes turn them into HTTP.',
      severity: 'error',
      from: { path: '^apps/runtime/src/', pathNot: ['/http/', '/(main|server)\\.ts$', TEST()] },
      to: { path: '^apps/runtime/src/http/|(^|/)node_modules/(hono|@hono)/' },
    },
    {
      name: 'usage-below-limiter',
      comment: 'The limiter hands its counts to usage, which knows no limits.',
      severity: 'error',
      from: { path: '^apps/runtime/src/usage/', pathNot: TEST() },
      to: { path: '^apps/runtime/src/limiter/' },
    },
    {
      name: 'components-hold-no-server-code',
      comment: 'A component shows values; the page or the action that has them reads them.',
      severity: 'error',
      from: { path: '^apps/console/src/components/', pathNot: TEST() },
      to: {
        path: '^apps/console/src/server/|^packages/(alerts|process|schema)/|/node_modules/server-only/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'accounts-have-one-door',
      comment: 'How users sign in is decided in one folder, behind its index.',
      severity: 'error',
      from: { path: '^apps/console/src/', pathNot: '^apps/console/src/server/accounts/' },
      to: { path: '^apps/console/src/server/accounts/', pathNot: '/accounts/index\\.ts$' },
    },
    {
      name: 'console-is-closed',
      comment:
        'What others need of the console is a package; tests call it as users do. Its settings are listed in documents.',
      severity: 'error',
      from: { pathNot: '^apps/console/' },
      to: { path: '^apps/console/', pathNot: '^apps/console/src/env\\.ts$' },
    },
    {
      name: 'components-below-app',
      comment: 'Code that routes share imports no route.',
      severity: 'error',
      from: { path: '^apps/console/src/(components|lib|server)/' },
      to: { path: '^apps/console/src/app/' },
    },
    {
      name: 'declared',
      comment: 'A workspace declares every package that it imports.',
      severity: 'error',
      from: { path: WORKSPACE(), pathNot: [TEST(), TOOLING()] },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    },
    {
      name: 'no-development-packages',
      comment: 'Code that ships imports no development packages, except types.',
      severity: 'error',
      from: {
        path: WORKSPACE(),
        pathNot: [TEST(), TOOLING(), '^(bench|packages/(build|devstack|sdk))/'],
      },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: '^(node_modules/@types|packages)/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|dist\\.dev|\\.next|\\.turbo|coverage|public)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
    },
  },
};

export default config;

/** Matches a file of a workspace; the first group is the workspace. */
function WORKSPACE() {
  return '^((?:packages|apps|examples)/[^/]+|bench)/';
}

function TEST() {
  return '\\.(test|spec)(-d)?\\.[jt]sx?$|/(test|tests|fixtures)/|\\.fixture\\.ts$';
}

/** Build scripts and configuration at the top of a workspace. */
function TOOLING() {
  return '^((packages|apps|examples)/[^/]+|bench)/[^/]+\\.[cm]?[jt]s$';
}

/**
 * @param from A workspace.
 * @param allowed The other workspaces that it may import.
 */
function arrow(from: string, allowed: readonly string[]): IForbiddenRuleType {
  return {
    name: `arrows-of-${from.replaceAll(/[^a-z]+/g, '-').replace(/-$/, '')}`,
    comment: 'contract ← domain ← schema ← apps, contract ← sdk ← examples.',
    severity: 'error',
    from: { path: `^(${from})/` },
    to: { path: WORKSPACE(), pathNot: ['^$1/', ...allowed.map((path) => `^${path}/`)] },
  };
}

/**
 * @param from An inner package.
 * @param packages The npm packages and Node modules that its code may import; types are free.
 * @param anyBuiltin Whether it may import all of Node's modules.
 */
function made(from: string, packages: string, anyBuiltin = false): IForbiddenRuleType {
  return {
    name: `made-of-${from.replace('packages/', '')}`,
    comment: 'The inner packages import only the npm packages listed here.',
    severity: 'error',
    from: { path: `^${from}/src/`, pathNot: TEST() },
    to: {
      pathNot: ['^packages/', `^(${packages})$`, `(^|/)node_modules/(${packages})/`],
      dependencyTypesNot: anyBuiltin ? ['core', 'type-only'] : ['type-only'],
    },
  };
}
