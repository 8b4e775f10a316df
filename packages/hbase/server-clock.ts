import { pause } from '../util/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import type { Gateways } from './gateway/gateways.js';
import { CLOCK_QUALIFIER, CLOCK_ROW, versionFamily } from './layout.js';
import { getMultiple, putMultiple } from './requests.js';
import type { RowDecoder } from './thrift/read-rows.js';
import type { Ticks } from './ticks.js';

const MAX_CLOCK_SKEW_MS = 60_000;
/** Number of measurements of the server's clock. The result is the range that all measurements allow. */
const PROBES = 3;
/** Milliseconds after which the clock is measured again, in parallel to writes. */
const ASK_AFTER = 300_000;
/**
 * Maximum drift of this machine's clock between two measurements, in milliseconds. A larger change means that the clock was set. Writes
 * then wait for a new measurement.
 */
const MOST_SET = 5000;

interface Clocks {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The clock that orders all writes. */
  readonly ticks: Ticks;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic?: () => number;
}

/**
 * Compares the clock of this process with the clock of the server: when the table is opened, every few minutes during writes, and at once
 * when the clock of this machine was set. While the clocks differ too much, nothing is written.
 */
export class ServerClock {
  readonly #gateways: Gateways;
  readonly #name: string;
  readonly #clock: () => number;
  readonly #ticks: Ticks;
  readonly #monotonic: () => number;
  #askedAt = 0;
  /** Maximum difference between the clock for writes and the clock of the server, in milliseconds. */
  #unsure = 0;
  /** Milliseconds by which the system's clock is ahead of the monotonic clock. */
  #ahead = 0;
  #isOff = false;
  #asking: Promise<void> | undefined;

  /** @param name of the table in HBase for the measurement */
  constructor(gateways: Gateways, name: string, { clock, ticks, monotonic = () => performance.now() }: Clocks) {
    this.#gateways = gateways;
    this.#name = name;
    this.#clock = clock;
    this.#ticks = ticks;
    this.#monotonic = monotonic;
  }

  /**
   * Must be called before each write. Returns undefined if the write may begin at once; this is nearly always so. Otherwise it returns a
   * promise to await. The promise rejects with the errors of {@link ServerClock.ask}.
   */
  check(): Promise<void> | undefined {
    const isSet = Math.abs(this.#clock() - this.#monotonic() - this.#ahead) > MOST_SET;
    if (this.#isOff || isSet) return this.#askOnce();
    // This write does not wait for the measurement. The result applies to later writes. If the server does not answer, the write itself
    // fails.
    if (this.#monotonic() - this.#askedAt > ASK_AFTER) this.#askOnce().catch(() => undefined);
    return undefined;
  }

  /**
   * Measures the clock of the server, and adjusts the clock for writes.
   * @param giveUp ms after which a request without an answer is not retried
   * @throws CrawlError CLOCK_OFF; the error of a gateway
   */
  async ask(giveUp?: number): Promise<void> {
    this.#askedAt = this.#monotonic();
    const ahead = this.#clock() - this.#askedAt;
    const { least, most, latest } = await this.#offset(giveUp);
    const isApart = least > 0 || most < 0;
    const apart = isApart ? Math.min(Math.abs(least), Math.abs(most)) : 0;
    this.#isOff = apart > MAX_CLOCK_SKEW_MS;
    if (this.#isOff) {
      const seconds = Math.round(apart / 1000);
      throw new CrawlError(
        'CLOCK_OFF',
        `expected the clocks of this machine and of HBase within ${MAX_CLOCK_SKEW_MS / 1000} s, found them ${seconds} s apart`,
        { hint: 'set the clock of this machine, for instance by NTP; the order of writes depends on it' },
      );
    }
    this.#ahead = ahead;
    // The clock is corrected only if the measurement proves that it is wrong. A busy machine or server makes a measurement less exact. With
    // a correction at each measurement, machines with equal clocks would write by different clocks.
    const offset = isApart ? (least + most) / 2 : 0;
    this.#unsure = Math.max(offset - least, most - offset);
    this.#ticks.follow(offset, latest + 1);
  }

  /**
   * Waits until the clock of the server has passed the ticks of all writes. It assumes that the clock for writes is ahead of the server by
   * as much as the measurement allows. Call it before the table is closed. The ticks of the next process are then later, so the writes of
   * that process are visible.
   */
  async settle(): Promise<void> {
    const wait = Math.min(this.#ticks.ahead() + this.#unsure, 2 * this.#unsure);
    if (wait > 0) await pause(wait);
  }

  #askOnce(): Promise<void> {
    return (this.#asking ??= this.ask().finally(() => (this.#asking = undefined)));
  }

  /**
   * Measures by how many milliseconds the clock of the server is ahead of ours, as a minimum and a maximum. The server gives a cell without
   * a timestamp the time at which it is put. `latest` is the last known time of the server, in milliseconds.
   */
  async #offset(giveUp: number | undefined): Promise<Offset> {
    const name = this.#name;
    const target = { family: versionFamily('meta'), qualifier: CLOCK_QUALIFIER };
    let offset: Offset = { least: -Infinity, most: Infinity, latest: 0 };
    for (let i = 0; i < PROBES; i++) {
      const sent = this.#clock();
      const began = performance.now();
      const cells = [{ ...target, value: Buffer.from(String(sent)) }];
      await this.#gateways.call(putMultiple(name, [{ key: CLOCK_ROW, cells }], 256), undefined, giveUp);
      const took = performance.now() - began;
      const ended = this.#clock();
      const read = getMultiple(name, [CLOCK_ROW], { columns: [target] }, timestamps());
      const [stamp] = await this.#gateways.call(read, undefined, giveUp);
      if (stamp === undefined)
        throw new CrawlError('STORE_FAILED', `expected to read what was put into ${safeText(name)}, found nothing`);
      // Both clocks are read in whole milliseconds, so each bound is one millisecond wider. A clock of this machine that was set during
      // the request widens the bounds by as much.
      const least = stamp - Math.max(sent + took, ended) - 1;
      const most = stamp - Math.min(sent, ended - took) + 1;
      const probed = { least, most };
      const latest = Math.max(offset.latest, stamp);
      const both = { least: Math.max(offset.least, probed.least), most: Math.min(offset.most, probed.most), latest };
      // If a clock was set between two measurements, the two ranges do not overlap, and the earlier range is dropped.
      offset = both.least <= both.most ? both : { ...probed, latest };
    }
    return offset;
  }
}

interface Offset {
  readonly least: number;
  readonly most: number;
  readonly latest: number;
}

/** The newest timestamp of each row. */
export function timestamps(): RowDecoder<number | undefined> {
  let newest: number | undefined;
  return {
    begin() {
      newest = undefined;
    },
    cell(_family, _qualifier, _value, timestamp) {
      newest = Math.max(newest ?? timestamp, timestamp);
    },
    end: () => newest,
  };
}
