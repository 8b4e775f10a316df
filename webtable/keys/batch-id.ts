/**
 * A new batch id, `<unix seconds>-<random>`: ids sort by age as far as the clock goes forward.
 * @param now milliseconds since the epoch
 * @param random a number from 0 to 1, 1 left out
 */
export function makeBatchId(now: number, random: number): string {
  return `${Math.floor(now / 1000)}-${Math.floor(random * 0x1_0000_0000)}`;
}

/** When a batch was made, in ms since the epoch; undefined where the text is no batch id. */
export function batchTime(batchId: string): number | undefined {
  const match = /^(\d{1,11})-\d{1,10}$/.exec(batchId);
  return match ? Number(match[1]) * 1000 : undefined;
}
