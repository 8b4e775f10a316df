import { safeText, type Progress } from '../packages/webcrawl/index.js';
import type { TextSink } from './io.js';
import { CLEAR_LINE, duration, number } from './output.js';

/** Shows how a job gets on. */
export interface ProgressDisplay {
  /** Takes the latest; shows it when the time has come. */
  show(progress: Progress): void;
  /** Takes away what is not to stay. */
  end(): void;
}

/** Milliseconds between two redraws of a live line, between two plain lines, and over which the rate is measured. */
const REDRAW = 200;
const PLAIN = 5_000;
const RATE_WINDOW = 10_000;

/**
 * One live line on a terminal, cut to its width and taken away at the end; elsewhere a plain line every five seconds.
 * @param now milliseconds that never go back
 */
export function progressDisplay(sink: TextSink, now: () => number = () => performance.now()): ProgressDisplay {
  const live = sink.isTTY === true;
  const every = live ? REDRAW : PLAIN;
  let last = live ? -Infinity : now();
  let drawn = false;
  let what = '';
  let samples: { at: number; done: number }[] = [];
  return {
    show(progress) {
      const at = now();
      const job = `${progress.round} ${progress.job} ${progress.batchId}`;
      if (job !== what) samples = [{ at, done: progress.done }];
      what = job;
      if (at - last < every) return;
      last = at;
      samples.push({ at, done: progress.done });
      while (samples.length > 2 && at - (samples[1]?.at ?? at) > RATE_WINDOW) samples.shift();
      const first = samples[0] ?? { at, done: 0 };
      const rate = at > first.at ? ((progress.done - first.done) * 1000) / (at - first.at) : 0;
      const line = progressLine(progress, rate);
      if (live) sink.write(`${CLEAR_LINE}${safeText(line, Math.max(10, (sink.columns ?? 80) - 2))}`);
      else sink.write(`${safeText(line, 1000)}\n`);
      drawn = live;
    },
    end() {
      if (drawn) sink.write(CLEAR_LINE);
      drawn = false;
    },
  };
}

/** `round 2, fetch: 120 of 1,000, 24.5/s, 36 s left; fetched 110, gone 10`. */
export function progressLine({ job, round, done, total, counters }: Progress, rate: number): string {
  const parts = [total === undefined ? number(done) : `${number(done)} of ${number(total)}`];
  if (rate > 0) parts.push(`${number(rate, rate < 10 ? 1 : 0)}/s`);
  if (rate > 0 && total !== undefined && total > done) parts.push(`${duration((total - done) / rate)} left`);
  const counted = Object.entries(counters).map(([reason, count]) => `${reason} ${number(count)}`);
  const what = round === undefined || round === 0 ? job : `round ${round}, ${job}`;
  return `${what}: ${parts.join(', ')}${counted.length > 0 ? `; ${counted.join(', ')}` : ''}`;
}
