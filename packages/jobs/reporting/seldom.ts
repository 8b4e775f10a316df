/** A figure that costs something to measure, and is measured so seldom that this takes at most a hundredth of the time. */
export interface Seldom<T> {
  /** As it was measured last; undefined before. */
  readonly last: T | undefined;
  /** Measures, unless the last figure is new enough or a measurement is under way, which is waited for. */
  read(): Promise<T>;
}

const TIMES_ITS_COST = 100;

/** Measures on demand. A measurement that fails rejects, and the next demand measures again. */
export function createSeldom<T>(measure: () => Promise<T>): Seldom<T> {
  let last: { readonly value: T } | undefined;
  let measuring: Promise<T> | undefined;
  let notBefore = -Infinity;

  async function measureNow(): Promise<T> {
    const began = performance.now();
    const value = await measure();
    const ended = performance.now();
    notBefore = ended + TIMES_ITS_COST * (ended - began);
    last = { value };
    return value;
  }

  return {
    get last() {
      return last?.value;
    },
    read() {
      if (last && performance.now() < notBefore) return Promise.resolve(last.value);
      return (measuring ??= measureNow().finally(() => (measuring = undefined)));
    },
  };
}
