/**
 * Bytes of large arrays that one document may make in all, and how many more for each byte of its own: a few
 * hundred bytes can unpack to gigabytes.
 */
const ARRAY_BYTES = 268_435_456;
const ARRAY_BYTES_PER_BYTE = 50;

/** Bytes of an array up to which it is not counted: what is so small is made in numbers that the time limit bounds. */
const SMALL = 16_384;

/** Counts the large arrays that are made in a thread. */
export interface ArrayBudget {
  /** A document was refused an array since {@link reset}. */
  readonly exhausted: boolean;
  /** Begins a new document of so many bytes. */
  reset(size: number): void;
}

/**
 * Bounds what code of others can do in this thread: no network, no output, no native decompressor, and each array counts
 * against a budget, since the memory limits of a thread leave out what arrays hold. A large array that would
 * go beyond it is a RangeError. Changes the globals of the thread, so it is only for a thread of its own, before
 * that code is imported.
 */
export function boundThread(): ArrayBudget {
  let left = ARRAY_BYTES;
  let exhausted = false;
  const spend = (bytes: number): void => {
    if (bytes <= SMALL) return;
    if (bytes > left) {
      exhausted = true;
      throw new RangeError('the document needs too much memory');
    }
    left -= bytes;
  };
  const counted = <T extends ArrayConstructor>(constructor: T): T =>
    new Proxy(constructor, {
      construct(target, args: unknown[], newTarget) {
        const [first] = args;
        // A view of a buffer that is there costs nothing.
        const size = typeof first === 'number' ? first : isBuffer(first) ? 0 : lengthOf(first);
        spend(size * (target.BYTES_PER_ELEMENT ?? 1));
        return Reflect.construct(target, args, newTarget === proxied.get(target) ? target : newTarget) as object;
      },
    });
  const proxied = new Map<object, unknown>();
  const globals: Record<string, unknown> = {};
  for (const constructor of ARRAYS) {
    const proxy = counted(constructor);
    proxied.set(constructor, proxy);
    globals[constructor.name] = proxy;
  }
  const silent = new Proxy({}, { get: () => () => undefined });
  Object.assign(globalThis, globals, { console: silent });
  for (const name of ['DecompressionStream', 'fetch', 'WebSocket', 'EventSource']) {
    Reflect.deleteProperty(globalThis, name);
  }
  return {
    get exhausted() {
      return exhausted;
    },
    reset(size) {
      left = ARRAY_BYTES + size * ARRAY_BYTES_PER_BYTE;
      exhausted = false;
    },
  };
}

type ArrayConstructor = (new (...args: never[]) => object) & { readonly BYTES_PER_ELEMENT?: number };

const ARRAYS: readonly ArrayConstructor[] = [
  ArrayBuffer,
  Uint8Array,
  Uint8ClampedArray,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
];

function isBuffer(value: unknown): boolean {
  return value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
}

function lengthOf(value: unknown): number {
  const length = typeof value === 'object' && value !== null ? (value as { length?: unknown }).length : undefined;
  return typeof length === 'number' ? length : 0;
}
