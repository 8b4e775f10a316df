/** Median and range of measurements. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Median, minimum and maximum. The median of an even count is the mean of the two middle values. NaN if there are no values. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (i: number): number => sorted[i] ?? NaN;
  const half = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2;
  return { median, min: at(0), max: at(sorted.length - 1) };
}

/**
 * Runs everything that is compared once per round, so that other load on the machine affects all equally. Each round begins with another
 * one, so that none always runs first. Returns the samples by name.
 */
export async function alternate<C extends { readonly name: string }, T>(
  compared: readonly C[],
  rounds: number,
  run: (one: C, round: number) => Promise<T>,
): Promise<Map<string, T[]>> {
  const samples = new Map<string, T[]>(compared.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < compared.length; i++) {
      const one = compared[(i + round) % compared.length]!;
      samples.get(one.name)!.push(await run(one, round));
    }
  }
  return samples;
}
