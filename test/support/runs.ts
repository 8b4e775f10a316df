import type fc from 'fast-check';

/** Whether the long form of a test is wanted: `npm run soak -- --only <suite>` sets it. */
export const isSoak = process.env['WEBCRAWL_RUNS'] === 'many';
/** Seconds for each property; without it a fixed number of runs from fixed seeds. `npm run fuzz` sets it. */
const SECONDS = Number(process.env['WEBCRAWL_FUZZ_SECONDS'] ?? 0);

/** How often a random test is repeated, or how large its input is: `few` in `npm test` and CI, `many` in `npm run soak`. */
export const runs = (few: number, many: number): number => (isSoak ? many : few);

/** The seeds 0 to n - 1, where n is `runs(few, many)`. */
export const seeds = (few: number, many: number): number[] => Array.from({ length: runs(few, many) }, (_, i) => i);

/**
 * How a property is run: the same every time, or as long as `WEBCRAWL_FUZZ_SECONDS` asks from a seed that a failure
 * tells.
 */
export function fuzzed(seed: number, numRuns: number): fc.Parameters<unknown> {
  if (SECONDS === 0) return { seed, numRuns };
  return { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: SECONDS * 1000, markInterruptAsFailure: false };
}
