import type { JobOptions, Progress } from '../../packages/webcrawl/internal.js';
import { safeText } from '../../packages/webcrawl/names.js';
import type { Cli } from '../cli.js';
import type { TextSink } from '../io.js';
import { CLEAR_LINE, duration, number, quantity } from './output.js';

const REDRAW_MS = 200;
const PLAIN_LINE_MS = 5_000;

/**
 * Makes a display of progress. On a terminal it is a live line, which is cut to the width and removed at the end. Elsewhere it prints a
 * line every five seconds.
 * @param now milliseconds that never go back
 */
export function progressDisplay(sink: TextSink, now: () => number = () => performance.now()) {
  const live = sink.isTTY === true;
  const every = live ? REDRAW_MS : PLAIN_LINE_MS;
  let last = live ? -Infinity : now();
  let drawn = false;
  return {
    show(progress: Progress): void {
      const at = now();
      if (at - last < every) return;
      last = at;
      const line = progressLine(progress);
      if (live) sink.write(`${CLEAR_LINE}${safeText(line, Math.max(10, (sink.columns || 80) - 2))}`);
      else sink.write(`${safeText(line, 1000)}\n`);
      drawn = live;
    },
    end(): void {
      if (drawn) sink.write(CLEAR_LINE);
      drawn = false;
    },
  };
}

/**
 * Runs a task with a display of its progress, unless `isSilent` is set. The task ends when the user stops the command.
 * @param onProgress called before the display changes
 */
export async function withProgress<T>(
  { io }: Cli,
  isSilent: boolean,
  task: (job: JobOptions) => Promise<T>,
  onProgress: (progress: Progress) => void = () => undefined,
): Promise<T> {
  const display = isSilent ? undefined : progressDisplay(io.stderr);
  try {
    const show = (progress: Progress): void => {
      onProgress(progress);
      display?.show(progress);
    };
    return await task({ signal: io.signal, ...(display && { onProgress: show }) });
  } finally {
    display?.end();
  }
}

/**
 * Returns one line of progress: `crawl: 1,120 done, 24,300 to go, 36 failed, 24.5/s, 3 min 20 s; 50 in flight, 12 hosts waiting; timeout
 * 30, dns 6; success 1,084`. The most important parts come first, because lines are cut. The remaining time is missing if the number of
 * pages to go is unknown.
 */
export function progressLine(progress: Progress): string {
  const { job, round, done, total, toGo, rate = 0, seconds, fetching, counters, errors } = progress;
  const failed = Object.values(errors).reduce((sum, n) => sum + n, 0);
  const parts = [total === undefined ? `${number(done)} done` : `${number(done)} of ${number(total)}`];
  if (toGo !== undefined) parts.push(`${number(toGo)} to go`);
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

function counted(counters: readonly (readonly [string, number])[]): string {
  return [...counters]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} ${number(count)}`)
    .join(', ');
}
