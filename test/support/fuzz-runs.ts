import type fc from 'fast-check';

/** Seconds for each property; without it a fixed number of runs from fixed seeds. `npm run fuzz` sets it. */
const SECONDS = Number(process.env['WEBCRAWL_FUZZ_SECONDS'] ?? 0);

/**
 * How a property is run: the same every time, or as long as `WEBCRAWL_FUZZ_SECONDS` asks from a seed that a failure
 * tells.
 */
export function runs(seed: number, numRuns: number): fc.Parameters<unknown> {
  if (SECONDS === 0) return { seed, numRuns };
  return { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: SECONDS * 1000, markInterruptAsFailure: false };
}
