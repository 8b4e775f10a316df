/** An array of numbers that grows by half when it is full. */
interface GrowingArray<T extends Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array> {
  push(value: number): void;
  readonly length: number;
  at(index: number): number;
  /** Returns the numbers so far, as a view and not a copy. */
  values(): T;
}

/** @param make makes an array of `length` zeros */
export function growingArray<T extends Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array>(
  make: (length: number) => T,
): GrowingArray<T> {
  let array = make(1024);
  let length = 0;
  return {
    push(value) {
      if (length === array.length) {
        const larger = make(Math.ceil(1.5 * length));
        larger.set(array);
        array = larger;
      }
      array[length++] = value;
    },
    get length() {
      return length;
    },
    at: (index) => array[index]!,
    values: () => array.subarray(0, length) as T,
  };
}
