/**
 * A new batch id, `<unix seconds>-<random>`. Ids sort by age as long as the clock is not set back.
 * @param now milliseconds since the epoch
 * @param random a number from 0 up to but not including 1
 */
export function makeBatchId(now: number, random: number): string {
  return `${Math.floor(now / 1000)}-${Math.floor(random * 0x1_0000_0000)}`;
}

/** When a batch was made, in ms since the epoch; undefined if the text is not a batch id. */
export function batchTime(batchId: string): number | undefined {
  const match = /^(\d{1,11})-\d{1,10}$/.exec(batchId);
  return match ? Number(match[1]) * 1000 : undefined;
}
