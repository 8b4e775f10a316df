import { versionOf } from '../patterns/index.js';
import { CrawlError } from '../errors/index.js';
import type { Plugin } from '../plugin-api/index.js';

/** Limits for URLs. They are whole numbers; -1 means no limit. */
export interface TrapLimits {
  /** Maximum number of characters of a URL. */
  readonly maxLength: number;
  /** How many times in sequence a path segment, or a block of segments, may occur; at least 1. */
  readonly maxRepeats: number;
  /** Maximum number of query parameters of a URL. */
  readonly maxParameters: number;
  /** Maximum number of path segments of a URL. */
  readonly maxDepth: number;
}

/**
 * Maximum number of segments in a block. Longer blocks are not searched. This bounds the work even if the settings limit neither length nor
 * depth.
 */
const MAX_BLOCK = 32;

const [SLASH, AND] = [0x2f, 0x26];

/**
 * Rejects URLs with the typical forms of endless sites.
 *
 * Repetitions are counted over the segments that end with `/`, from the host to the last slash of the URL. Segments in the query are
 * counted too. Empty segments are not counted. A URL is rejected if one of the following occurs more than `maxRepeats` times:
 *
 * - a block of 1 to 32 segments that directly follows itself: `/a/a/a/`, `/a/b/c/a/b/c/a/b/c/` (for a limit of 2), or
 * - a segment at every second position, with any segments between: `/a/x/a/y/a/`.
 *
 * The first rule does not count repetitions of a single segment of digits, as in dates and map tiles: `/01/01/01/`. The second rule counts
 * such segments. In `/2024/01/01/` and `/en/docs/en/` a segment occurs twice. The name of a file is never counted.
 * @throws CrawlError BAD_SETTING that lists every wrong limit
 */
export function trapUrlFilter(limits: TrapLimits): Plugin {
  check(limits);
  const orInfinity = (limit: number) => (limit === -1 ? Infinity : limit);
  const maxLength = orInfinity(limits.maxLength);
  const maxDepth = orInfinity(limits.maxDepth);
  const maxParameters = orInfinity(limits.maxParameters);
  const maxRepeats = orInfinity(limits.maxRepeats);
  const verdicts = {
    length: `length: more than ${maxLength} characters`,
    depth: `depth: more than ${maxDepth} path segments`,
    parameters: `parameters: more than ${maxParameters} in the query`,
    repeats: `repeats: the same segments more than ${maxRepeats} times in a row`,
  };

  return {
    name: 'urlfilter-traps',
    version: versionOf(limits),
    filterUrl(url) {
      if (url.length > maxLength) return verdicts.length;
      const hostStart = url.indexOf('://') + 3;
      const queryStart = url.indexOf('?', hostStart);
      const pathEnd = queryStart < 0 ? url.length : queryStart;
      if (countParts(url, SLASH, hostStart, pathEnd) - 1 > maxDepth) return verdicts.depth;
      if (queryStart >= 0 && countParts(url, AND, queryStart + 1) > maxParameters) return verdicts.parameters;
      const lastSlash = url.lastIndexOf('/');
      if (countParts(url, SLASH, hostStart, lastSlash) <= maxRepeats) return true;
      return repeats(url.slice(hostStart, lastSlash), maxRepeats) ? verdicts.repeats : true;
    },
  };
}

function repeats(text: string, max: number): boolean {
  const segments = text.split('/').filter(Boolean);
  if (repeatsApart(segments, max)) return true;
  const longest = Math.min(MAX_BLOCK, Math.floor(segments.length / (max + 1)));
  for (let length = 1; length <= longest; length++) if (repeatsBackToBack(segments, length, max)) return true;
  return false;
}

/** Whether a segment occurs more than `max` times at every second position. */
function repeatsApart(segments: readonly string[], max: number): boolean {
  for (let start = 0; start < 2; start++) {
    for (let at = start + 2, times = 1; at < segments.length; at += 2) {
      times = segments[at] === segments[at - 2] ? times + 1 : 1;
      if (times > max) return true;
    }
  }
  return false;
}

/** Whether a block of `length` segments occurs more than `max` times directly one after the other. */
function repeatsBackToBack(segments: readonly string[], length: number, max: number): boolean {
  for (let at = length, equal = 0; at < segments.length; at++) {
    const same = segments[at] === segments[at - length] && !(length === 1 && /^\d+$/.test(segments[at]!));
    equal = same ? equal + 1 : 0;
    if (equal >= length * max) return true;
  }
  return false;
}

function countParts(text: string, separator: number, from: number, to = text.length): number {
  let parts = 0;
  let before = separator;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (before === separator && code !== separator) parts++;
    before = code;
  }
  return parts;
}

function check(limits: TrapLimits): void {
  const wrong = Object.entries(limits)
    .filter(([name, value]) => !Number.isInteger(value) || value < -1 || (name === 'maxRepeats' && value === 0))
    .map(([name, value]) => `${name} is ${value}`);
  if (wrong.length === 0) return;
  throw new CrawlError(
    'BAD_SETTING',
    `URL trap filter: expected whole numbers from -1 on, and a maxRepeats other than 0; ${wrong.join('; ')}`,
  );
}
