import { compilePattern, matches, toOctets, type Pattern } from './robots-pattern.js';

/** A line of robots.txt that decided; its text is untrusted. */
export interface RobotsLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** What one robots.txt says to one crawler. */
export interface RobotsRules {
  /**
   * Whether a path with its query may be fetched, and by which line; no line means that no rule matches.
   * The longest match wins; of two as long, Allow.
   */
  allowed(pathAndQuery: string): { readonly allowed: boolean; readonly line?: RobotsLine };
  /** Seconds; the longest where there are several. */
  readonly crawlDelay?: number;
  /** As written in the file, of all groups; untrusted. */
  readonly sitemaps: readonly string[];
  /** Rough size in memory, in bytes. */
  readonly size: number;
}

/** A parsed robots.txt. */
export interface RobotsTxt {
  /**
   * The rules of all groups for the first of these names that has any, else of the groups for `*`. A name is looked up
   * without regard to case, and without what follows its letters, digits, `-` and `_`.
   */
  rulesFor(agents: readonly string[]): RobotsRules;
}

/** Bytes of a robots.txt that are read; RFC 9309 asks for at least 500 KiB. */
export const ROBOTS_LIMIT = 524_288;

interface Rule {
  readonly allow: boolean;
  readonly pattern: Pattern;
  readonly line: RobotsLine;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
}

/** A Crawl-delay line, with the names before it in its group. */
interface CrawlDelay {
  readonly agents: readonly string[];
  /** Of the delay. */
  readonly seconds: number;
}

/**
 * Parses a robots.txt by RFC 9309. Any bytes are a robots.txt: what cannot be read is passed over. Beyond
 * {@link ROBOTS_LIMIT} nothing is read, and a line cut there does not count.
 *
 * A Crawl-delay is no rule of the RFC, so it does not end the names at the head of a group; but it holds only for those
 * before it, so that the delay of one crawler is not taken for that of the next.
 */
export function parseRobots(body: Uint8Array | string): RobotsTxt {
  const groups: Group[] = [];
  const delays: CrawlDelay[] = [];
  const sitemaps: string[] = [];
  let group: Group | undefined;
  // Lines that name agents are together at the head of a group; the first rule ends them.
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
    rulesFor(agents) {
      const isFor = addressee(groups, agents);
      const addressed = ({ agents }: { readonly agents: readonly string[] }): boolean => agents.some(isFor);
      return toRules(groups.filter(addressed), delays.filter(addressed), sitemaps);
    },
  };
}

/** Whether the value of a User-agent line means us: by the first of our names that any line has, else as `*`. */
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
      const rule = rules.find(({ pattern }) => matches(pattern, path));
      return rule ? { allowed: rule.allow, line: rule.line } : { allowed: true };
    },
    ...(delays.length > 0 && { crawlDelay: delays.reduce((most, { seconds }) => Math.max(most, seconds), 0) }),
    sitemaps,
    size,
  };
}

/**
 * Whether the value of a User-agent line names a crawler, by its product token of RFC 9309 (letters, `-` and `_`), or,
 * since many crawlers have them, with digits and dots.
 */
function names(value: string, name: string): boolean {
  return wideToken(value) === name || (/^[a-z_-]*/i.exec(value)?.[0] ?? '').toLowerCase() === name;
}

function wideToken(value: string): string {
  return (/^[a-z0-9_.-]*/i.exec(value.trim())?.[0] ?? '').toLowerCase();
}

/** The key in lower case and the value, one character per octet. A forgotten colon is forgiven. */
function parseLine(text: string): { key: string; value: string } | undefined {
  const hash = text.indexOf('#');
  const line = trim(hash < 0 ? text : text.slice(0, hash));
  const colon = line.indexOf(':');
  if (colon >= 0) return { key: trim(line.slice(0, colon)).toLowerCase(), value: trim(line.slice(colon + 1)) };
  const words = line.split(/[ \t]+/);
  return words.length === 2 ? { key: (words[0] ?? '').toLowerCase(), value: words[1] ?? '' } : undefined;
}

/** Cuts blanks of ASCII only: other blanks of Unicode may be bytes of a letter here. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
}

const isBlank = (text: string, at: number): boolean => text.charCodeAt(at) <= 0x20;

/** Lines end with CR, LF or both. Each is a string of its own, so that a rule kept does not keep the file. */
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
