import { defineConfig } from 'vitest/config';

/** Of `npm run soak`, which no other run of the tests takes in. */
export default defineConfig({
  test: { pool: 'forks', include: ['test/soak/soak.ts'], testTimeout: 0, hookTimeout: 0 },
});
