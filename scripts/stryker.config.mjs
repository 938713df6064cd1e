/**
 * For `npm run mutate`, which runs Stryker group by group (`mutate.ts`) with the unit tests.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/vitest.unit.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  incremental: true,
  tempDirName: '.stryker/sandbox',
  ignorePatterns: ['.ceiba', '.turbo', 'dist', '.next', 'docs', 'reports', 'tests', 'bench'],
  reporters: ['clear-text'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { high: 95, low: 90, break: 90 },
};
