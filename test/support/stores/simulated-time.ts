import type { LeaseTiming } from '../../../webtable/index.js';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that advances only on demand: to the next timer, when all work after the last one is done. */
export class SimulatedTime {
  now = 0;
  readonly #timers: Timer[] = [];
  #order = 0;

  /** @returns a function that cancels the timer */
  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.now + ms, order: this.#order++, callback };
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timers[middle]!;
      if (other.at > timer.at || (other.at === timer.at && other.order > timer.order)) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Runs timers until this time, or until none is left. @param afterEach called when the work of a timer waits again */
  async runUntil(end: number, afterEach = (): void => {}): Promise<void> {
    await settled();
    for (;;) {
      const timer = this.#timers.at(-1);
      if (!timer || timer.at > end) break;
      this.#timers.pop();
      this.now = timer.at;
      timer.callback();
      await settled();
      afterEach();
    }
    this.now = end;
  }
}

/** Waits until all promises that can settle have settled. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A machine with its own clocks. It may be paused or suspended, and may crash. */
export class SimulatedMachine {
  readonly #time: SimulatedTime;
  readonly #rate: number;
  readonly #offset: number;
  #wallOffset: number;
  #pausedUntil = 0;
  #suspended = 0;
  #suspendedSince: number | undefined;
  isCrashed = false;

  /** @param random from 0 to 1 */
  constructor(time: SimulatedTime, random: () => number) {
    this.#time = time;
    // The speeds of clocks differ by up to a tenth, and their start times are random.
    this.#rate = 0.95 + random() * 0.1;
    this.#offset = random() * 1e9;
    this.#wallOffset = random() * 1e12;
  }

  readonly timing: LeaseTiming = {
    monotonic: () => ((this.#suspendedSince ?? this.#time.now) - this.#suspended) * this.#rate + this.#offset,
    wall: () => this.#time.now * this.#rate + this.#wallOffset,
    after: (ms, callback) => this.#when(ms / this.#rate, callback),
  };

  /** As on an overloaded machine: nothing runs, but its clocks advance. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#time.now + ms);
  }

  /** As for a virtual machine that is moved: even its monotonic clock stands still. */
  suspend(ms: number): void {
    if (this.#suspendedSince !== undefined) return;
    this.pause(ms);
    this.#suspendedSince = this.#time.now;
    this.#time.after(ms, () => {
      this.#suspended += this.#time.now - this.#suspendedSince!;
      this.#suspendedSince = undefined;
    });
  }

  setWallClock(by: number): void {
    this.#wallOffset += by;
  }

  crash(): void {
    this.isCrashed = true;
  }

  /** Whether programs run on it now. */
  get isRunning(): boolean {
    return !this.isCrashed && this.#time.now >= this.#pausedUntil;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#when(ms, resolve));
  }

  #when(ms: number, callback: () => void): () => void {
    let cancel = this.#time.after(ms, onTime.bind(this));
    function onTime(this: SimulatedMachine): void {
      if (this.isCrashed) return;
      if (this.isRunning) callback();
      else cancel = this.#time.after(this.#pausedUntil - this.#time.now, onTime.bind(this));
    }
    return () => cancel();
  }
}
