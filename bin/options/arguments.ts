import { InvalidArgumentError } from 'commander';
import { CrawlError, didYouMean } from '../../packages/webcrawl/names.js';

export function wholeNumber(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= min) return value;
    throw new InvalidArgumentError(`not a whole number of at least ${min}`);
  };
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** Reads a duration above 0, such as `90s`, `30m`, `2h`, `1.5d` or `1w`. Returns seconds. */
export function durationInSeconds(text: string): number {
  const seconds = secondsOf(text);
  if (seconds !== undefined && seconds > 0) return seconds;
  throw new InvalidArgumentError('not a number and a unit, such as 90s, 30m, 2h or 1d');
}

/** Returns the seconds of a duration such as `90s`, `30m`, `2h`, `1.5d` or `1w`; undefined for any other text. */
export function secondsOf(text: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * SECONDS[unit as keyof typeof SECONDS];
}

/** Adds a value of `-H 'Name: value'` to the earlier values. If a name is repeated, the last value is used. */
export function header(text: string, earlier: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf(':');
  if (at < 1) throw new InvalidArgumentError("not of the form 'Name: value', such as 'From: me@example.com'");
  return { ...earlier, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
}

export function seconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('not a number of seconds, such as 2 or 0.5');
}

/** Adds a value of `--set key=value` to the earlier values. If a key is repeated, the last value is used. */
export function keyAndValue(text: string, earlier: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('not of the form key=value, such as http.agentName=mybot');
  return Object.fromEntries([...Object.entries(earlier), [text.slice(0, at).trim(), text.slice(at + 1)]]);
}

export function eachGiven(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}

export function namesGiven(text: string, earlier: readonly string[] = []): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...earlier, ...names.filter((name) => name !== '')];
}

const MAX_LISTED = 20;

export function refuseRenamed(names: readonly string[], renamed: Readonly<Record<string, string>>): void {
  const old = names.find((name) => Object.hasOwn(renamed, name));
  if (old !== undefined) throw new InvalidArgumentError(`${old} is now called ${renamed[old]}`);
}

export function listOf<T extends string>(
  known: readonly T[],
  renamed: Readonly<Record<string, T>> = {},
): (text: string) => readonly T[] {
  return (text) => {
    const names = text.split(',').map((name) => name.trim());
    refuseRenamed(names, renamed);
    const wrong = names.filter((name) => !(known as readonly string[]).includes(name));
    if (wrong.length === 0) return names as T[];
    if (wrong[0] === '') throw new InvalidArgumentError('a name is missing');
    const meant = didYouMean(wrong[0]!, known);
    if (meant !== undefined) throw new InvalidArgumentError(`${wrong[0]} is unknown; did you mean ${meant}?`);
    const all = known.length > MAX_LISTED ? '' : `; known names are ${known.join(', ')}`;
    throw new InvalidArgumentError(`${wrong.join(', ')} is unknown${all}`);
  };
}

/** Returns the batch id or all open batches, for a verb. Exactly one of the two must be given. */
export function batchOf(batch: string | undefined, all: boolean | undefined): string {
  if ((batch === undefined) === (all !== true)) {
    throw new CrawlError(
      'USAGE',
      batch === undefined ? 'no batch id and no --all' : 'a batch id and --all cannot be combined',
      {
        hint: '`webcrawl generate` prints the id of its batch',
      },
    );
  }
  return batch ?? 'all';
}
