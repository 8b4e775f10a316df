import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlError, safeText } from '../../../packages/errors/index.js';
import type { Gateways } from './gateway/gateways.js';
import { CLOCK_QUALIFIER, CLOCK_ROW, versionFamily } from './layout.js';
import { getMultiple, putMultiple, type RowDecoder } from './requests.js';
import type { Ticks } from './ticks.js';

/** Clocks that are further apart are refused, in milliseconds. */
const MOST_APART = 60_000;
/** How often the clock of the server is asked for; what all answers allow counts. */
const PROBES = 3;
/** Milliseconds after which it is asked for again, beside what is written. */
const ASK_AFTER = 300_000;
/** Milliseconds that the clock of this machine may gain or lose until then; where it was set, nothing is written before the answer. */
const MOST_SET = 5000;

/** Whose clocks are compared. */
export interface Clocks {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The clock by which what is written is put in order. */
  readonly ticks: Ticks;
  /** Milliseconds since any moment, of a clock that nobody sets. */
  readonly monotonic?: () => number;
}

/**
 * Holds the clock of this process against that of the server: when the table is opened, every few minutes while something is written,
 * and at once where the clock of this machine was set. While they are too far apart nothing is written.
 */
export class ServerClock {
  readonly #gateways: Gateways;
  readonly #name: string;
  readonly #clock: () => number;
  readonly #ticks: Ticks;
  readonly #monotonic: () => number;
  #askedAt = 0;
  /** How far from that of the server the clock by which is written may be, in milliseconds. */
  #unsure = 0;
  /** By how much the clock that may be set is ahead of the one that is not. */
  #ahead = 0;
  #isOff = false;
  #asking: Promise<void> | undefined;

  /** @param name of the table in HBase for the probe */
  constructor(gateways: Gateways, name: string, { clock, ticks, monotonic = () => performance.now() }: Clocks) {
    this.#gateways = gateways;
    this.#name = name;
    this.#clock = clock;
    this.#ticks = ticks;
    this.#monotonic = monotonic;
  }

  /**
   * Before something is written: undefined where it may be, as nearly always.
   * @returns else what to wait for, which throws as {@link ServerClock.ask}
   */
  check(): Promise<void> | undefined {
    const isSet = Math.abs(this.#clock() - this.#monotonic() - this.#ahead) > MOST_SET;
    if (this.#isOff || isSet) return this.#askOnce();
    // What is found then holds from the next write on; a server that does not answer shows by the write itself.
    if (this.#monotonic() - this.#askedAt > ASK_AFTER) this.#askOnce().catch(() => undefined);
    return undefined;
  }

  /**
   * Asks for the clock of the server, and follows it.
   * @param giveUp ms after which a gateway that does not answer is not asked again
   * @throws CrawlError CLOCK_OFF; what a gateway throws
   */
  async ask(giveUp?: number): Promise<void> {
    this.#askedAt = this.#monotonic();
    const ahead = this.#clock() - this.#askedAt;
    const { least, most, latest } = await this.#offset(giveUp);
    const isApart = least > 0 || most < 0;
    const apart = isApart ? Math.min(Math.abs(least), Math.abs(most)) : 0;
    this.#isOff = apart > MOST_APART;
    if (this.#isOff) {
      const seconds = Math.round(apart / 1000);
      throw new CrawlError(
        'CLOCK_OFF',
        `expected the clocks of this machine and of HBase within ${MOST_APART / 1000} s, found them ${seconds} s apart`,
        { hint: 'set the clock of this machine, for instance by NTP; what is written is put in order by it' },
      );
    }
    this.#ahead = ahead;
    // A clock that may be right is taken to be: so machines whose clocks agree write by one clock, however busy they or the server are.
    const offset = isApart ? (least + most) / 2 : 0;
    this.#unsure = Math.max(offset - least, most - offset);
    this.#ticks.follow(offset, latest + 1);
  }

  /**
   * Until the time of the server is past all that was written, as far as this clock may be ahead of it. Call it before the table is closed:
   * whoever opens it then begins after that time, and hides nothing of what it writes.
   */
  async settle(): Promise<void> {
    const wait = Math.min(this.#ticks.ahead() + this.#unsure, 2 * this.#unsure);
    if (wait > 0) await sleep(wait);
  }

  #askOnce(): Promise<void> {
    return (this.#asking ??= this.ask().finally(() => (this.#asking = undefined)));
  }

  /**
   * How many milliseconds the clock of the server is ahead of ours, at least and at most: a cell that is put without a timestamp gets
   * one between the put and the answer. `latest` is what the clock of the server said last, in milliseconds.
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
      const read = getMultiple(name, [CLOCK_ROW], { columns: [target] }, timestamps());
      const [stamp] = await this.#gateways.call(read, undefined, giveUp);
      if (stamp === undefined)
        throw new CrawlError('STORE_FAILED', `expected to read what was put into ${safeText(name)}, found nothing`);
      // Both clocks are read to whole milliseconds.
      const probed = { least: stamp - (sent + took) - 1, most: stamp - sent + 1 };
      const latest = Math.max(offset.latest, stamp);
      const both = { least: Math.max(offset.least, probed.least), most: Math.min(offset.most, probed.most), latest };
      // A clock that was set between two answers leaves them nothing in common.
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
