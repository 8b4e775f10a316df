import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A process for each file: native databases and signals stay apart.
    pool: 'forks',
    // Vitest leaves one core free, which halves its speed where there are two.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Far more than any test needs, so that none fails because the machine is busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
