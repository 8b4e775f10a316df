import { defineConfig } from 'vitest/config';

/** For `npm run soak` only; other test runs leave the soak out. */
export default defineConfig({
  test: { pool: 'forks', include: ['test/soak/soak.ts'], testTimeout: 0, hookTimeout: 0 },
});
