import { TYPE } from './types.js';

/**
 * Writes Thrift's binary protocol into one buffer that grows. A struct is the fields between {@link BinaryWriter.field} of
 * its own, or the one of who has it, and {@link BinaryWriter.stop}.
 */
export class BinaryWriter {
  #bytes: Buffer;
  #at = 0;

  /** @param size bytes that are likely to do */
  constructor(size = 512) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  /** How many bytes were written. */
  get length(): number {
    return this.#at;
  }

  /** What was written; it shares the memory of the writer, which must not be used after it. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  /** The head of a field of a struct. */
  field(type: number, id: number): void {
    this.#room(3);
    this.#bytes[this.#at] = type;
    this.#bytes[this.#at + 1] = id >> 8;
    this.#bytes[this.#at + 2] = id & 255;
    this.#at += 3;
  }

  /** The end of a struct. */
  stop(): void {
    this.byte(TYPE.stop);
  }

  /** A value of one byte, without a head. */
  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#at++] = value;
  }

  /** A value of four bytes, without a head. */
  int(value: number): void {
    this.#room(4);
    this.#at = this.#bytes.writeInt32BE(value, this.#at);
  }

  /** Four bytes, at a place that was written before. */
  intAt(place: number, value: number): void {
    this.#bytes.writeInt32BE(value, place);
  }

  /** Bytes with their length, without a head. A text is written as UTF-8. */
  value(value: string | Uint8Array): void {
    if (typeof value === 'string') {
      const length = Buffer.byteLength(value);
      this.int(length);
      this.#room(length);
      this.#at += this.#bytes.write(value, this.#at, length, 'utf8');
    } else {
      this.int(value.length);
      this.#room(value.length);
      this.#bytes.set(value, this.#at);
      this.#at += value.length;
    }
  }

  /** A field of bytes. */
  binary(id: number, value: string | Uint8Array): void {
    this.field(TYPE.string, id);
    this.value(value);
  }

  /** A field of a whole number of 32 bits. */
  i32(id: number, value: number): void {
    this.field(TYPE.i32, id);
    this.int(value);
  }

  /** A field of a whole number of 64 bits. @param value a safe integer, not below 0 */
  i64(id: number, value: number): void {
    this.field(TYPE.i64, id);
    this.int(Math.floor(value / 2 ** 32));
    this.int(value | 0);
  }

  /** A field that is true or false. */
  bool(id: number, value: boolean): void {
    this.field(TYPE.bool, id);
    this.byte(value ? 1 : 0);
  }

  /** The head of a field that is a list; its items, without heads of their own, come next. */
  list(id: number, type: number, length: number): void {
    this.field(TYPE.list, id);
    this.byte(type);
    this.int(length);
  }

  #room(length: number): void {
    const needed = this.#at + length;
    if (needed <= this.#bytes.length) return;
    const more = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, needed));
    this.#bytes.copy(more, 0, 0, this.#at);
    this.#bytes = more;
  }
}
