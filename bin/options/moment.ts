import { InvalidArgumentError } from 'commander';
import { secondsOf } from './arguments.js';

const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

export const MOMENT = '2026-01-31, 2026-01-31T09:30Z, now, or 30m, 2h, 2d, 1w';

/** Reads a time. A duration such as `2d` counts back from now. Returns ms since the epoch. */
function pastMoment(text: string): number {
  return momentOf(text, -1);
}

/** Reads a time. A duration such as `2d` counts forward from now. Returns ms since the epoch. */
export function comingMoment(text: string): number {
  return momentOf(text, 1);
}

/** Reads a time or a duration. A time without a zone is UTC, like all times that are printed. */
function momentOf(text: string, direction: 1 | -1): number {
  if (text === 'now') return Date.now();
  const duration = secondsOf(text);
  if (duration !== undefined) return Math.round(Date.now() + direction * duration * 1000);
  const [, , , , zone] = ISO.exec(text) ?? [];
  const time = ISO.test(text) ? Date.parse(zone === undefined && text.includes('T') ? `${text}Z` : text) : NaN;
  // Without this check, `Date` would convert February 30 to March 2.
  const [year, month, day] = text.split(/[-T]/).map(Number);
  const isDay = new Date(Date.UTC(year!, month! - 1, day)).getUTCDate() === day;
  if (Number.isNaN(time) || !isDay) throw new InvalidArgumentError(`not a time such as ${MOMENT}`);
  return time;
}

/** Reads the value of options such as `--fetched-since`: a past time, or the name of a mark, which is returned unchanged. */
export function momentOrMark(text: string): number | string {
  return isMark(text) ? text : pastMoment(text);
}

/** Reads the value of options such as `--due-before`: a coming time, or the name of a mark, which is returned unchanged. */
export function comingMomentOrMark(text: string): number | string {
  return isMark(text) ? text : comingMoment(text);
}

function isMark(text: string): boolean {
  return /^[a-z]/i.test(text) && text !== 'now';
}
