/** Writes numbers and text one after another into a growing buffer. */
export class ByteWriter {
  #bytes: Buffer;
  /** Position of the next value. */
  length = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size);
  }

  /** The bytes since {@link clear}; valid until the next write. */
  view(from = 0): Buffer {
    return this.#bytes.subarray(from, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.length++] = value;
  }

  /** An integer from 0 to 2^53 - 1, with seven bits in each byte. */
  varint(value: number): void {
    this.#room(8);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.length++] = rest;
  }

  uint32(value: number): void {
    this.#room(4);
    this.length = this.#bytes.writeUInt32LE(value, this.length);
  }

  double(value: number): void {
    this.#room(8);
    this.length = this.#bytes.writeDoubleLE(value, this.length);
  }

  /** Overwrites a number. */
  setUint32(value: number, at: number): void {
    this.#bytes.writeUInt32LE(value, at);
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length);
    this.#bytes.set(value, this.length);
    this.length += value.length;
  }

  /** ASCII text, after its length. */
  ascii(value: string): void {
    this.varint(value.length);
    this.#room(value.length);
    this.length += this.#bytes.write(value, this.length, 'latin1');
  }

  /** Any text, after its length in bytes. */
  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.varint(length);
    this.#room(length);
    this.length += this.#bytes.write(value, this.length, 'utf8');
  }

  #room(length: number): void {
    if (this.length + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.length + length));
    larger.set(this.view());
    this.#bytes = larger;
  }
}

/** Reads the bytes of a {@link ByteWriter}. */
export class ByteReader {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    return this.#bytes[this.at++]!;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.at++]!;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      if (this.at >= this.#bytes.length) throw new Error('expected a number, found the end of the bytes');
    }
  }

  uint32(): number {
    this.at += 4;
    return this.#bytes.readUInt32LE(this.at - 4);
  }

  double(): number {
    this.at += 8;
    return this.#bytes.readDoubleLE(this.at - 8);
  }

  bytes(length: number): Buffer {
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  ascii(): string {
    const length = this.varint();
    this.at += length;
    return this.#bytes.toString('latin1', this.at - length, this.at);
  }

  text(): string {
    const length = this.varint();
    this.at += length;
    return this.#bytes.toString('utf8', this.at - length, this.at);
  }
}
