export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The median of an even count is the mean of the two middle values. NaN if there are no values. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (i: number): number => sorted[i] ?? NaN;
  const half = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2;
  return { median, min: at(0), max: at(sorted.length - 1) };
}

export type Sampled<C, T> = C & { readonly samples: readonly T[] };

/**
 * Runs everything that is compared once per round, so that other load on the machine affects all equally. Each round begins with another
 * one, so that none always runs first.
 */
export async function alternate<C extends object, T>(
  compared: readonly C[],
  rounds: number,
  run: (one: C, round: number) => Promise<T>,
): Promise<Sampled<C, T>[]> {
  const sampled = compared.map((one) => ({ one, samples: [] as T[] }));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < sampled.length; i++) {
      const { one, samples } = sampled[(i + round) % sampled.length]!;
      samples.push(await run(one, round));
    }
  }
  return sampled.map(({ one, samples }) => ({ ...one, samples }));
}

export function over<T>(figure: (sample: T) => number): (one: { readonly samples: readonly T[] }) => Spread {
  return ({ samples }) => spread(samples.map(figure));
}

/** The ratios to another thing, computed within each round, since the speed of the machine changes between rounds. */
export function ratio<T>(
  { samples }: { readonly samples: readonly T[] },
  other: { readonly samples: readonly T[] } | undefined,
  figure: (sample: T) => number,
): Spread {
  return spread(
    samples.map((sample, round) => {
      const reference = other?.samples[round];
      return figure(sample) / (reference === undefined ? NaN : figure(reference));
    }),
  );
}

export function samplesByName<T>(sampled: readonly Sampled<{ readonly name: string }, T>[]) {
  return Object.fromEntries(sampled.map(({ name, samples }) => [name, samples]));
}
