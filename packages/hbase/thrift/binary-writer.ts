import { TYPE } from './types.js';

/**
 * Writes Thrift's binary protocol into one growing buffer. To write a struct, write each field after {@link BinaryWriter.field}, and then
 * {@link BinaryWriter.stop}.
 */
export class BinaryWriter {
  #bytes: Buffer;
  #at = 0;

  /** @param size expected number of bytes */
  constructor(size = 512) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  get length(): number {
    return this.#at;
  }

  /** Returns the written bytes. They share the memory of the writer, which must not be used after this call. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  /** Writes the head of a field: its type and its number. */
  field(type: number, id: number): void {
    this.#room(3);
    this.#bytes[this.#at] = type;
    this.#bytes[this.#at + 1] = id >> 8;
    this.#bytes[this.#at + 2] = id & 255;
    this.#at += 3;
  }

  stop(): void {
    this.byte(TYPE.stop);
  }

  /** Writes one byte, without the head of a field. */
  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#at++] = value;
  }

  /** Writes four bytes, without the head of a field. */
  int(value: number): void {
    this.#room(4);
    this.#at = this.#bytes.writeInt32BE(value, this.#at);
  }

  /** Overwrites four bytes at a position that was written before. */
  intAt(place: number, value: number): void {
    this.#bytes.writeInt32BE(value, place);
  }

  /** Writes bytes with their length, without the head of a field. A text is written as UTF-8. */
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

  /** Writes a field with bytes. */
  binary(id: number, value: string | Uint8Array): void {
    this.field(TYPE.string, id);
    this.value(value);
  }

  i32(id: number, value: number): void {
    this.field(TYPE.i32, id);
    this.int(value);
  }

  /** Writes a field with a whole number of 64 bits. @param value a safe integer, not below 0 */
  i64(id: number, value: number): void {
    this.field(TYPE.i64, id);
    this.int(Math.floor(value / 2 ** 32));
    this.int(value | 0);
  }

  bool(id: number, value: boolean): void {
    this.field(TYPE.bool, id);
    this.byte(value ? 1 : 0);
  }

  /** Writes the head of a list field. Write the items next, without heads. */
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
