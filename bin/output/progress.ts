import type { Progress } from '../../packages/webcrawl/index.js';
import { safeText } from '../../packages/webcrawl/names.js';
import type { TextSink } from '../io.js';
import { CLEAR_LINE, duration, number, quantity } from './output.js';

/** Shows how a job gets on. */
export interface ProgressDisplay {
  /** Takes the latest; shows it when the time has come. */
  show(progress: Progress): void;
  /** Takes away what is not to stay. */
  end(): void;
}

/** Milliseconds between two redraws of a live line, and between two plain lines. */
const REDRAW = 200;
const PLAIN = 5_000;

/**
 * One live line on a terminal, cut to its width and taken away at the end; elsewhere a plain line every five seconds.
 * @param now milliseconds that never go back
 */
export function progressDisplay(sink: TextSink, now: () => number = () => performance.now()): ProgressDisplay {
  const live = sink.isTTY === true;
  const every = live ? REDRAW : PLAIN;
  let last = live ? -Infinity : now();
  let drawn = false;
  return {
    show(progress) {
      const at = now();
      if (at - last < every) return;
      last = at;
      const line = progressLine(progress);
      if (live) sink.write(`${CLEAR_LINE}${safeText(line, Math.max(10, (sink.columns || 80) - 2))}`);
      else sink.write(`${safeText(line, 1000)}\n`);
      drawn = live;
    },
    end() {
      if (drawn) sink.write(CLEAR_LINE);
      drawn = false;
    },
  };
}

/**
 * What matters first comes first, for lines that are cut: `crawl: 1,120 done, 24,300 due, 36 failed, 24.5/s, 3 min 20 s; 50 in
 * flight, 12 hosts waiting; timeout 30, dns 6; success 1,084`. How long it still takes is only said of what has an end.
 */
export function progressLine(progress: Progress): string {
  const { job, round, done, total, due, rate = 0, seconds, fetching, counters, errors } = progress;
  const failed = Object.values(errors).reduce((sum, n) => sum + n, 0);
  const parts = [total === undefined ? `${number(done)} done` : `${number(done)} of ${number(total)}`];
  if (due !== undefined) parts.push(`${number(due)} due`);
  if (failed > 0) parts.push(`${number(failed)} failed`);
  if (rate > 0) parts.push(`${number(rate, rate < 10 ? 1 : 0)}/s`);
  if (seconds !== undefined) parts.push(duration(seconds));
  if (rate > 0 && total !== undefined && total > done) parts.push(`${duration((total - done) / rate)} left`);
  const what = round === undefined || round === 0 ? job : `${job}, round ${round}`;
  const others = Object.entries(counters).filter(([reason]) => !(reason in errors));
  return [
    `${what}: ${parts.join(', ')}`,
    fetching && fetchingText(fetching),
    counted(Object.entries(errors)),
    counted(others),
  ]
    .filter((part) => part)
    .join('; ');
}

function fetchingText({ inFlight, waiting, setAside }: NonNullable<Progress['fetching']>): string {
  const parts = [`${number(inFlight)} in flight`];
  if (waiting > 0) parts.push(`${quantity(waiting, 'host')} waiting`);
  if (setAside > 0) parts.push(`${quantity(setAside, 'host')} set aside`);
  return parts.join(', ');
}

/** `timeout 30, dns 6`: the most first. */
function counted(counters: readonly (readonly [string, number])[]): string {
  return [...counters]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} ${number(count)}`)
    .join(', ');
}
