type Numbers = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

/** An array of numbers that grows by half when it is full. */
interface GrowingArray<T extends Numbers> {
  push(value: number): void;
  readonly length: number;
  at(index: number): number;
  /** Returns the numbers so far, as a view and not a copy. */
  values(): T;
}

/** @param type the class of the array, such as `Uint32Array` */
export function growingArray<T extends Numbers>(type: new (length: number) => T): GrowingArray<T> {
  let array = new type(1024);
  let length = 0;
  return {
    push(value) {
      if (length === array.length) {
        const larger = new type(Math.ceil(1.5 * length));
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
