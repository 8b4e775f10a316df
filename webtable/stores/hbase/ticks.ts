import { randomBytes } from 'node:crypto';
import { CrawlError } from '../../../packages/errors/index.js';

const VERSION_BYTES = 12;
/** Ticks in a millisecond: they are microseconds since the epoch, and so below 2^53 until the year 2255. */
const TICKS_IN_MS = 1000;

/**
 * The one clock by which all that is written is put in order. It follows the clock of the server, never goes back, and is later than
 * every version that was read, so a change that follows from what was read is later than it, even where clocks differ.
 */
export class Ticks {
  readonly #clock: () => number;
  /** So that two processes never make the same version. */
  readonly #process = randomBytes(4);
  #offset = 0;
  #last = 0;

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** From now on this clock is so many milliseconds ahead of that of the process, and not before a time in milliseconds since the epoch. */
  follow(offset: number, notBefore: number): void {
    this.#offset = offset;
    this.passed(Math.ceil(notBefore) * TICKS_IN_MS - 1);
  }

  /** How many milliseconds the last tick is ahead of the clock; below 0 where it is behind. */
  ahead(): number {
    return this.#last / TICKS_IN_MS - (this.#clock() + this.#offset);
  }

  /** The first of so many ticks in a row that are later than all before. */
  take(count: number): number {
    const first = Math.max(this.#last + 1, Math.floor((this.#clock() + this.#offset) * TICKS_IN_MS));
    this.#last = first + count - 1;
    return first;
  }

  /** All that is taken from now on is later than this. */
  passed(tick: number): void {
    if (tick > this.#last) this.#last = tick;
  }

  /** The cell that says that a row was changed at this tick. */
  versionCell(tick: number): Buffer {
    const cell = Buffer.allocUnsafe(VERSION_BYTES);
    cell.writeUInt32BE(Math.floor(tick / 2 ** 32), 0);
    cell.writeUInt32BE(tick % 2 ** 32, 4);
    cell.set(this.#process, 8);
    return cell;
  }

  /** The tick at which a row was changed that has this version cell; undefined for an empty one. */
  tickOf(cell: Buffer): number | undefined {
    return cell.length >= 8 ? cell.readUInt32BE(0) * 2 ** 32 + cell.readUInt32BE(4) : undefined;
  }

  /** What a cell of another process, or of this one, says; all taken from now on is later. */
  versionOf(cell: Buffer): string {
    this.passed(this.tickOf(cell) ?? 0);
    return cell.toString('base64');
  }

  /** The cell of which {@link Ticks.versionOf} made this version; all taken from now on is later. */
  cellOf(version: string): Buffer {
    const cell = Buffer.from(version, 'base64');
    if (cell.length !== VERSION_BYTES) {
      throw new CrawlError('STORE_FAILED', 'expected a version that was read of a row, found something else');
    }
    this.versionOf(cell);
    return cell;
  }
}
