import type fc from 'fast-check';

/** Whether the long form of tests is requested: `npm run soak -- --only <suite>` sets it. */
export const isSoak = process.env['WEBCRAWL_RUNS'] === 'many';
/** Seconds for each property. Without it, a fixed number of runs from fixed seeds. `npm run fuzz` sets it. */
const SECONDS = Number(process.env['WEBCRAWL_FUZZ_SECONDS'] ?? 0);

/** The number of repetitions of a random test, or the size of its input: `few` in `npm test` and CI, `many` in `npm run soak`. */
export const runs = (few: number, many: number): number => (isSoak ? many : few);

/** The seeds 0 to n - 1, where n is `runs(few, many)`. */
export const seeds = (few: number, many: number): number[] => Array.from({ length: runs(few, many) }, (_, i) => i);

/** The parameters of a property: the same every time, or runs for `WEBCRAWL_FUZZ_SECONDS` from a random seed, which a failure prints. */
export function fuzzed(seed: number, numRuns: number): fc.Parameters<unknown> {
  if (SECONDS === 0) return { seed, numRuns };
  return { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: SECONDS * 1000, markInterruptAsFailure: false };
}
