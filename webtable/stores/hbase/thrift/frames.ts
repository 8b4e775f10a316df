import { ThriftError } from './types.js';

/** Bytes of the length before each frame. */
const HEAD = 4;

/**
 * Puts the chunks of a stream together to frames: four bytes of length, then so many bytes.
 */
export class Frames {
  readonly #most: number;
  #chunks: Buffer[] = [];
  #have = 0;
  #size: number | undefined;

  /** @param most bytes that a frame may have */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether a frame has begun and not ended. */
  get isWithinFrame(): boolean {
    return this.#have > 0;
  }

  /**
   * Takes the next chunk of the stream.
   * @returns the frames that are whole by it, in order
   * @throws ThriftError where a frame would be larger than allowed, or the bytes are plainly of another protocol
   */
  add(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    const frames: Buffer[] = [];
    for (;;) {
      if (this.#size === undefined) {
        if (this.#have < HEAD) return frames;
        this.#size = this.#sizeOf(this.#joined().subarray(0, HEAD));
      }
      const end = HEAD + this.#size;
      if (this.#have < end) return frames;
      const all = this.#joined();
      frames.push(all.subarray(HEAD, end));
      this.#chunks = all.length > end ? [all.subarray(end)] : [];
      this.#have -= end;
      this.#size = undefined;
    }
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks, this.#have)];
    return this.#chunks[0]!;
  }

  #sizeOf(head: Buffer): number {
    const size = head.readInt32BE(0);
    if (size >= 0 && size <= this.#most) return size;
    if (head.toString('latin1') === 'HTTP') throw new ThriftError('expected a Thrift server, found one of HTTP');
    // The version of a message is where its length should be.
    if (size >>> 16 === 0x8001) throw new ThriftError('expected a server with the framed transport, found one without');
    if (size < 0) throw new ThriftError('expected a Thrift server, found one of something else');
    throw new ThriftError(`expected an answer of at most ${this.#most} bytes, found one of ${size}`);
  }
}
