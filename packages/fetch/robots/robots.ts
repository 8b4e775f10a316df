import { compilePattern, matches, toOctets, type Pattern } from './robots-pattern.js';

/** The line of robots.txt that decides. Its text is untrusted. */
export interface RobotsLine {
  /** The number of the line, from 1 on. */
  readonly number: number;
  readonly text: string;
}

/** The rules of a robots.txt for one crawler. */
export interface RobotsRules {
  /**
   * Returns whether a path with its query may be fetched, and the line that decides. `line` is absent if no rule matches. The rule with the
   * longest pattern takes precedence. Of two rules with equal length, Allow takes precedence. If patterns with `*` would have to search
   * more than {@link SEARCH_LIMIT} characters, the path is denied, and the text of `line` says so.
   */
  allowed(pathAndQuery: string): { readonly allowed: boolean; readonly line?: RobotsLine };
  /** Seconds. If there are several values, the longest one applies. */
  readonly crawlDelay?: number;
  /** The sitemaps of all groups, as written in the file. Untrusted text. */
  readonly sitemaps: readonly string[];
  /** Approximate size in memory, in bytes. */
  readonly size: number;
}

/** Maximum bytes of a robots.txt that are read. RFC 9309 requires at least 500 KiB. */
export const ROBOTS_LIMIT = 524_288;
/** Maximum characters that the patterns with `*` of one file may search for one path. This takes some 50 ms. */
export const SEARCH_LIMIT = 4_194_304;
const TOO_LONG = 'too many patterns with * for a path of this length';

interface Rule {
  readonly allow: boolean;
  readonly pattern: Pattern;
  readonly line: RobotsLine;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
}

/** A Crawl-delay line, with the agent names that stand before it in its group. */
interface CrawlDelay {
  readonly agents: readonly string[];
  /** Seconds. */
  readonly seconds: number;
}

/**
 * Parses a robots.txt according to RFC 9309. It accepts any bytes, and skips lines that it cannot read. Nothing is read beyond
 * {@link ROBOTS_LIMIT}. A line that is cut there is skipped.
 *
 * In the RFC, a Crawl-delay is not a rule, so it does not end the list of agent names at the start of a group. But a delay applies only to
 * the names before it. Therefore the delay for one crawler is not used for the next crawler.
 */
export function parseRobots(body: Uint8Array | string) {
  const groups: Group[] = [];
  const delays: CrawlDelay[] = [];
  const sitemaps: string[] = [];
  let group: Group | undefined;
  // Whether the current line is in the list of agent names at the start of a group. The first rule ends this list.
  let naming = false;

  for (const { number, text } of lines(body)) {
    const record = parseLine(text);
    if (!record) continue;
    const { key, value } = record;
    if (key === 'user-agent') {
      if (!group || !naming) groups.push((group = { agents: [], rules: [] }));
      naming = true;
      group.agents.push(value);
    } else if (key === 'allow' || key === 'disallow') {
      naming = false;
      if (value === '') continue;
      const line = { number, text: `${key === 'allow' ? 'Allow' : 'Disallow'}: ${utf8(value)}` };
      group?.rules.push({ allow: key === 'allow', pattern: compilePattern(value), line });
    } else if (key === 'crawl-delay') {
      const seconds = /^(?:\d+\.?\d*|\.\d+)$/.test(value) ? Number(value) : NaN;
      if (group && Number.isFinite(seconds)) delays.push({ agents: [...group.agents], seconds });
    } else if (key === 'sitemap' && value !== '') {
      sitemaps.push(utf8(value));
    }
  }
  return {
    /**
     * Returns the rules for a crawler. The first of the given names that has a group is used, and the rules of all groups for this name
     * apply. If no name has a group, the groups for `*` apply. Letter case is ignored. A name ends at the first character that is not a
     * letter, a digit, `-`, `_` or `.`.
     */
    rulesFor(agents: readonly string[]): RobotsRules {
      const isFor = addressee(groups, agents);
      const addressed = ({ agents }: { readonly agents: readonly string[] }): boolean => agents.some(isFor);
      return toRules(groups.filter(addressed), delays.filter(addressed), sitemaps);
    },
  };
}

/**
 * Returns a function that checks whether the value of a User-agent line means this crawler. It compares the value with the first name of
 * the crawler that occurs in any line. If no name occurs, it compares the value with `*`.
 */
function addressee(groups: readonly Group[], agents: readonly string[]): (value: string) => boolean {
  for (const agent of agents) {
    const name = wideToken(agent);
    const isNamed = (value: string): boolean => names(value, name);
    if (name !== '' && groups.some((group) => group.agents.some(isNamed))) return isNamed;
  }
  return (value) => /^\*([ \t]|$)/.test(value);
}

function toRules(groups: readonly Group[], delays: readonly CrawlDelay[], sitemaps: readonly string[]): RobotsRules {
  const rules = groups.flatMap((group) => group.rules);
  rules.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow));
  const size = [...rules.map((rule) => rule.line.text), ...sitemaps].reduce(
    (sum, text) => sum + 4 * text.length + 200,
    500,
  );
  return {
    allowed(pathAndQuery) {
      const text = latin1(pathAndQuery.split('#', 1)[0] ?? '');
      if (/^\/robots\.txt($|\?)/.test(text)) return { allowed: true };
      const path = toOctets(text, false);
      let searched = 0;
      for (const { pattern, allow, line } of rules) {
        if (pattern.parts.length > 1 && path.startsWith(pattern.parts[0]!)) searched += path.length;
        if (searched > SEARCH_LIMIT) return { allowed: false, line: { number: line.number, text: TOO_LONG } };
        if (matches(pattern, path)) return { allowed: allow, line };
      }
      return { allowed: true };
    },
    ...(delays.length > 0 && { crawlDelay: delays.reduce((most, { seconds }) => Math.max(most, seconds), 0) }),
    sitemaps,
    size,
  };
}

/**
 * Whether the value of a User-agent line is the name of a crawler. In RFC 9309 a name has only letters, `-` and `_`, and the rest of the
 * value is ignored. Many names also have digits and dots, so the value is compared with these too.
 */
function names(value: string, name: string): boolean {
  return wideToken(value) === name || (/^[a-z_-]*/i.exec(value)?.[0] ?? '').toLowerCase() === name;
}

function wideToken(value: string): string {
  return (/^[a-z0-9_.-]*/i.exec(value.trim())?.[0] ?? '').toLowerCase();
}

/** Splits a line into a key in lower case and a value. The colon may be missing. Each character is one octet. */
function parseLine(text: string): { key: string; value: string } | undefined {
  const hash = text.indexOf('#');
  const line = trim(hash < 0 ? text : text.slice(0, hash));
  const colon = line.indexOf(':');
  if (colon >= 0) return { key: trim(line.slice(0, colon)).toLowerCase(), value: trim(line.slice(colon + 1)) };
  const words = line.split(/[ \t]+/);
  return words.length === 2 ? { key: (words[0] ?? '').toLowerCase(), value: words[1] ?? '' } : undefined;
}

/** Matches Unicode white space in UTF-8, where each character is one octet. The byte order mark also counts as white space. */
const BLANK =
  /^(?:[\0- ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xef\xbb\xbf)$/;
const LENGTHS_OF_BLANKS = [1, 2, 3];

/** Removes white space at both ends. Outside ASCII it removes only whole characters, because a single octet may be a part of a letter. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  const isBlank = (from: number, to: number): boolean =>
    BLANK.test(text.slice(Math.max(start, from), Math.min(to, end)));
  for (let blank: number | undefined = 0; blank !== undefined; start += blank ?? 0)
    blank = LENGTHS_OF_BLANKS.find((length) => isBlank(start, start + length));
  for (let blank: number | undefined = 0; blank !== undefined; end -= blank ?? 0)
    blank = LENGTHS_OF_BLANKS.find((length) => isBlank(end - length, end));
  return text.slice(start, end);
}

/**
 * Yields the lines of a file. A line ends with CR, LF or both. Each line is a new string, so that a stored rule does not keep the whole
 * file in memory.
 */
function* lines(body: Uint8Array | string): Iterable<RobotsLine> {
  const all = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const limit = Math.min(all.length, ROBOTS_LIMIT);
  let start = all[0] === 0xef && all[1] === 0xbb && all[2] === 0xbf ? 3 : 0;
  for (let number = 1, i = start; i <= limit; i++) {
    const byte = all[i];
    const ends = byte === 0x0a || byte === 0x0d;
    if (!ends && i < all.length && i === limit) return;
    if (!ends && i < limit) continue;
    yield { number: number++, text: all.toString('latin1', start, i) };
    if (byte === 0x0d && all[i + 1] === 0x0a) i++;
    start = i + 1;
  }
}

const latin1 = (text: string): string => (/^[\x20-\x7e]*$/.test(text) ? text : Buffer.from(text).toString('latin1'));
const utf8 = (octets: string): string => Buffer.from(octets, 'latin1').toString('utf8');
