import { InvalidArgumentError } from 'commander';
import { secondsOf } from './arguments.js';

const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** How moments are given, for help and messages. */
export const MOMENT = '2026-01-31, 2026-01-31T09:30Z, now, or 30m, 2h, 2d, 1w';

/** Reads `--fetched-since 2d` and the like: a duration counts back from now. The result is in ms since the epoch. */
export function pastMoment(text: string): number {
  return momentOf(text, -1);
}

/** Reads `--due-before 2d` and the like: a duration counts from now on. The result is in ms since the epoch. */
export function comingMoment(text: string): number {
  return momentOf(text, 1);
}

/** A time without a zone is UTC, as all times that are printed are. */
function momentOf(text: string, direction: 1 | -1): number {
  if (text === 'now') return Date.now();
  const duration = secondsOf(text);
  if (duration !== undefined) return Math.round(Date.now() + direction * duration * 1000);
  const [, , , , zone] = ISO.exec(text) ?? [];
  const time = ISO.test(text) ? Date.parse(zone === undefined && text.includes('T') ? `${text}Z` : text) : NaN;
  // `Date` takes February 30 for March 2.
  const [year, month, day] = text.split(/[-T]/).map(Number);
  const isDay = new Date(Date.UTC(year!, month! - 1, day)).getUTCDate() === day;
  if (Number.isNaN(time) || !isDay) throw new InvalidArgumentError(`Expected a time such as ${MOMENT}.`);
  return time;
}
