import { randomBytes } from 'node:crypto';
import { CrawlError } from '../errors/index.js';

const VERSION_BYTES = 12;
/** Number of ticks in a millisecond. Ticks are microseconds since the epoch, so they are below 2^53 until the year 2255. */
const TICKS_IN_MS = 1000;

/**
 * The clock that orders all writes. It follows the clock of the server, never goes back, and is later than every version that was read.
 * Therefore a change is later than the rows from which the change was computed, even if clocks differ.
 */
export class Ticks {
  readonly #clock: () => number;
  /** Random bytes, so that two processes never make the same version. */
  readonly #process = randomBytes(4);
  #offset = 0;
  #last = 0;

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Sets this clock `offset` milliseconds ahead of the clock of the process, but not before `notBefore`, in ms since the epoch. */
  follow(offset: number, notBefore: number): void {
    this.#offset = offset;
    this.passed(Math.ceil(notBefore) * TICKS_IN_MS - 1);
  }

  /** Returns by how many milliseconds the last tick is ahead of the clock; negative if it is behind. */
  ahead(): number {
    return this.#last / TICKS_IN_MS - (this.#clock() + this.#offset);
  }

  /** Reserves `count` consecutive ticks that are later than all earlier ticks. Returns the first reserved tick. */
  take(count: number): number {
    const first = Math.max(this.#last + 1, Math.floor((this.#clock() + this.#offset) * TICKS_IN_MS));
    this.#last = first + count - 1;
    return first;
  }

  /** After this call, all new ticks are later than this tick. */
  passed(tick: number): void {
    if (tick > this.#last) this.#last = tick;
  }

  /** The version cell of a row that was changed at this tick. */
  versionCell(tick: number): Buffer {
    const cell = Buffer.allocUnsafe(VERSION_BYTES);
    cell.writeUInt32BE(Math.floor(tick / 2 ** 32), 0);
    cell.writeUInt32BE(tick % 2 ** 32, 4);
    cell.set(this.#process, 8);
    return cell;
  }

  /** The tick in a version cell; undefined for an empty cell. */
  tickOf(cell: Buffer): number | undefined {
    return cell.length >= 8 ? cell.readUInt32BE(0) * 2 ** 32 + cell.readUInt32BE(4) : undefined;
  }

  /** Returns the version in a cell of this or another process. All ticks after this call are later than that version. */
  versionOf(cell: Buffer): string {
    this.passed(this.tickOf(cell) ?? 0);
    return cell.toString('base64');
  }

  /** Returns the cell from which {@link Ticks.versionOf} made this version. All ticks after this call are later than that version. */
  cellOf(version: string): Buffer {
    const cell = Buffer.from(version, 'base64');
    if (cell.length !== VERSION_BYTES) {
      throw new CrawlError('STORE_FAILED', 'expected a version that was read from a row, found something else');
    }
    this.versionOf(cell);
    return cell;
  }
}
