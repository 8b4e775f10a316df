/** Makes a function that creates a value at its first call, and returns the same value at later calls. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
