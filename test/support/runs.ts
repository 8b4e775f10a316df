/** Whether the long form of a test is wanted: `npm run soak -- --only <suite>` sets it. */
export const isSoak = process.env['WEBCRAWL_RUNS'] === 'many';

/** How often a random test is repeated, or how large its input is: `few` in `npm test` and CI, `many` in `npm run soak`. */
export const runs = (few: number, many: number): number => (isSoak ? many : few);

/** The seeds 0 to n - 1, where n is `runs(few, many)`. */
export const seeds = (few: number, many: number): number[] => Array.from({ length: runs(few, many) }, (_, i) => i);
