import { describe, it } from 'vitest';
import { runs } from '../support/runs.js';
import { STORES } from '../support/stores/open-stores.js';
import { checkHistories } from '../support/stores/histories.js';

// A failure prints the seed and the shortest history that fails; put both here to repeat it.
const SEED = 20_240_601;

describe.each(Object.entries(STORES).filter(([name]) => name !== 'MemoryStore'))('%s', (name, open) => {
  it('answers any history as MemoryStore does', async () => {
    await checkHistories({ open, seed: SEED, runs: name.includes('disk') ? runs(15, 60) : runs(80, 300) });
  });
});
