type Numbers = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

/**
 * An array of numbers that grows by half when it is full.
 * @param type the class of the array, such as `Uint32Array`
 */
export function growingArray<T extends Numbers>(type: new (length: number) => T) {
  let array = new type(1024);
  let length = 0;
  return {
    push(value: number): void {
      if (length === array.length) {
        const larger = new type(Math.ceil(1.5 * length));
        larger.set(array);
        array = larger;
      }
      array[length++] = value;
    },
    get length(): number {
      return length;
    },
    at: (index: number): number => array[index]!,
    /** Returns the numbers so far, as a view and not a copy. */
    values: (): T => array.subarray(0, length) as T,
  };
}
