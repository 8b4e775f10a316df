/**
 * A list of row keys in order. It takes little memory, because each key is stored without the part that it shares with the previous key.
 */
export interface KeyList {
  readonly length: number;
  /** Adds a key. It must come after all others in the order of keys. */
  push(key: string): void;
  /** Returns the key with this number, from 0 on. */
  at(index: number): string;
}

/** One in this number of keys is stored whole. */
const BLOCK = 16;
const MOST = 0xffff;

/**
 * Makes an empty list. It takes 6.5 bytes for each key, in addition to the stored part of the key. After the list has grown, up to a
 * third of its memory may be unused.
 */
export function createKeyList(): KeyList {
  let bytes = Buffer.alloc(1 << 16);
  let used = 0;
  let blocks = new Float64Array(1 << 8);
  let length = 0;
  let before = '';

  function room(size: number): void {
    if (used + size <= bytes.length) return;
    const grown = Buffer.alloc(Math.max(used + size, Math.ceil(bytes.length * 1.5)));
    bytes.copy(grown);
    bytes = grown;
  }

  return {
    get length() {
      return length;
    },
    push(key) {
      const shared = length % BLOCK === 0 ? 0 : Math.min(MOST, sharedLength(before, key));
      if (length % BLOCK === 0) {
        const block = length / BLOCK;
        if (block === blocks.length) blocks = grownTo(blocks, block * 2);
        blocks[block] = used;
      }
      const tail = key.length - shared;
      room(6 + tail);
      used = bytes.writeUInt16LE(shared, used);
      used = bytes.writeUInt32LE(tail, used);
      used += bytes.write(shared === 0 ? key : key.slice(shared), used, 'latin1');
      before = key;
      length += 1;
    },
    at(index) {
      let at = blocks[Math.floor(index / BLOCK)]!;
      let key = '';
      for (let i = index - (index % BLOCK); i <= index; i++) {
        const tail = bytes.readUInt32LE(at + 2);
        const from = at + 6;
        key = key.slice(0, bytes.readUInt16LE(at)) + bytes.toString('latin1', from, from + tail);
        at = from + tail;
      }
      return key;
    },
  };
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i++) if (a.charCodeAt(i) !== b.charCodeAt(i)) return i;
  return most;
}

/** Returns an array of at least this length that begins with the same numbers. The added numbers are 0. */
export function grownTo<A extends Float64Array | Uint32Array | Uint8Array>(array: A, length: number): A {
  const grown = new (array.constructor as new (length: number) => A)(length);
  grown.set(array);
  return grown;
}
