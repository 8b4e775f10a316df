import { ThriftError } from './types.js';

const LENGTH_BYTES = 4;

/** Joins the chunks of a stream into frames: four bytes of length, then that number of bytes. */
export class Frames {
  readonly #most: number;
  #chunks: Buffer[] = [];
  #have = 0;
  #size: number | undefined;

  /** @param most maximum bytes of a frame */
  constructor(most: number) {
    this.#most = most;
  }

  get isWithinFrame(): boolean {
    return this.#have > 0;
  }

  /**
   * Adds the next chunk of the stream.
   * @returns the frames that the chunk completes, in order
   * @throws ThriftError for a frame that is too large, or bytes that are clearly of another protocol
   */
  add(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    const frames: Buffer[] = [];
    for (;;) {
      if (this.#size === undefined) {
        if (this.#have < LENGTH_BYTES) return frames;
        this.#size = this.#sizeOf(this.#joined().subarray(0, LENGTH_BYTES));
      }
      const end = LENGTH_BYTES + this.#size;
      if (this.#have < end) return frames;
      const all = this.#joined();
      frames.push(all.subarray(LENGTH_BYTES, end));
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
    if (head.toString('latin1') === 'HTTP') throw new ThriftError('expected a Thrift server, found an HTTP server');
    // A server that uses no frames begins with the version of a message, which has these bytes.
    if (size >>> 16 === 0x8001) throw new ThriftError('expected a server with the framed transport, found one without');
    if (size < 0) throw new ThriftError('expected a Thrift server, found a server of another kind');
    throw new ThriftError(`expected a response of at most ${this.#most} bytes, found one of ${size}`);
  }
}
