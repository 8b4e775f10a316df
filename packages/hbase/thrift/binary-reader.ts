import { ThriftError, TYPE } from './types.js';

/** Maximum nesting of values. The responses of a gateway need five levels. */
const DEEPEST = 16;

/**
 * Reads Thrift's binary protocol. The data is not trusted: every length is checked against the bytes that are available. Each method throws
 * a {@link ThriftError} if the data ends too early.
 */
export class BinaryReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Number of bytes that were not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    return this.#bytes[this.#next(1)]!;
  }

  i16(): number {
    return this.#bytes.readInt16BE(this.#next(2));
  }

  i32(): number {
    return this.#bytes.readInt32BE(this.#next(4));
  }

  /** Reads a 64-bit integer. Beyond 2^53 the result is the nearest number. */
  i64(): number {
    const at = this.#next(8);
    return this.#bytes.readInt32BE(at) * 2 ** 32 + this.#bytes.readUInt32BE(at + 4);
  }

  /** Reads bytes with their length. The result shares memory with the input. */
  binary(): Buffer {
    const length = this.#length(1);
    const start = this.#next(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Reads bytes with their length as a text. Each byte becomes one character. */
  latin1(): string {
    const length = this.#length(1);
    const start = this.#next(length);
    return this.#bytes.toString('latin1', start, start + length);
  }

  /** Reads the head of the next field of a struct into `type` and `id`. Returns false at the end of the struct. */
  nextField(): boolean {
    this.type = this.byte();
    if (this.type === TYPE.stop) return false;
    this.id = this.i16();
    return true;
  }

  /** The type of the field that {@link BinaryReader.nextField} has read last. */
  type: number = TYPE.stop;
  /** The number of the field that {@link BinaryReader.nextField} has read last. */
  id = 0;

  /** Reads the length of a list. Its items must have this type. */
  list(type: number): number {
    const found = this.byte();
    const length = this.#length(1);
    if (found !== type && length > 0) throw new ThriftError(`expected a list of type ${type}, found one of ${found}`);
    return length;
  }

  skip(type: number, depth = 0): void {
    if (depth > DEEPEST) throw new ThriftError(`expected values at most ${DEEPEST} deep, found more`);
    switch (type) {
      case TYPE.bool:
      case TYPE.byte:
        this.#next(1);
        return;
      case TYPE.i16:
        this.#next(2);
        return;
      case TYPE.i32:
        this.#next(4);
        return;
      case TYPE.i64:
      case TYPE.double:
        this.#next(8);
        return;
      case TYPE.string:
        this.binary();
        return;
      case TYPE.struct:
        for (let field = this.byte(); field !== TYPE.stop; field = this.byte()) {
          this.i16();
          this.skip(field, depth + 1);
        }
        return;
      case TYPE.list:
      case TYPE.set: {
        const items = this.byte();
        for (let left = this.#length(1); left > 0; left--) this.skip(items, depth + 1);
        return;
      }
      case TYPE.map: {
        const keys = this.byte();
        const values = this.byte();
        for (let left = this.#length(2); left > 0; left--) {
          this.skip(keys, depth + 1);
          this.skip(values, depth + 1);
        }
        return;
      }
      default:
        throw new ThriftError(`expected a type of Thrift, found ${type}`);
    }
  }

  /** Reads the number of items that follow. Each item has at least `each` bytes. */
  #length(each: number): number {
    const length = this.i32();
    if (length < 0 || length * each > this.left) {
      throw new ThriftError(`expected a length of at most ${Math.floor(this.left / each)}, found ${length}`);
    }
    return length;
  }

  #next(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new ThriftError(`expected ${length} bytes more, found ${this.left}`);
    this.#at = at + length;
    return at;
  }
}
