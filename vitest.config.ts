import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests of the command on a stub of the library, which they share. */
const ON_STUB = ['test/bin/{data-out,progress,run,search}.test.ts', 'test/bin/options/shard-option.test.ts'];
/** Tests that put other stand-ins in the place of modules: these would be seen by others in one process. */
const WITH_STAND_INS = [
  'test/fetch/address/load-undici.test.ts',
  'test/webtable/live/yielding.test.ts',
  'test/webcrawl/hbase-on-demand.test.ts',
  'test/webcrawl/missing-packages.test.ts',
];
/** Tests on a real HBase, which is started once for all of them. */
const ON_HBASE = ['test/hbase/**/*.test.ts'];
/** What `npm test` leaves out, from scripts/test.mjs: a flag of vitest would not reach the projects. */
const LEFT_OUT = process.env['WEBCRAWL_LEFT_OUT']?.split(',') ?? [];

export default defineConfig({
  test: {
    setupFiles: ['test/support/fast-equal.ts'],
    pool: 'forks',
    // Modules that were transformed once are kept in node_modules for the next run.
    experimental: { fsModuleCache: true },
    // One more than there are cores, since some tests wait for timers and for processes.
    maxWorkers: availableParallelism() + 1,
    // Far more than any test needs, so that none fails because the machine is busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        // Files share processes, as nothing in the source has state of its own: to load it anew for each doubles the time.
        test: {
          name: 'tests',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...ON_STUB, ...WITH_STAND_INS, ...ON_HBASE, ...LEFT_OUT],
        },
      },
      {
        extends: true,
        test: {
          name: 'stub',
          isolate: false,
          include: ON_STUB,
          exclude: LEFT_OUT,
        },
      },
      {
        extends: true,
        test: {
          name: 'stand-ins',
          include: WITH_STAND_INS,
          exclude: LEFT_OUT,
        },
      },
      {
        extends: true,
        test: {
          name: 'hbase',
          include: ON_HBASE,
          exclude: LEFT_OUT,
          globalSetup: 'test/support/hbase/global-setup.ts',
          // What one of them kills, the others would miss.
          fileParallelism: false,
        },
      },
    ],
  },
});
