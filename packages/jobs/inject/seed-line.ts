/** One line of a seed file. */
export interface Seed {
  readonly url: string;
  readonly score?: number;
  /** Seconds. */
  readonly fetchInterval?: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Reads a seed line: a URL, then `key=value` pairs, separated by tabs. The keys `score` and `fetchInterval`, also with Nutch's prefix
 * `nutch.`, set these fields. Any other key becomes metadata. White space around the URL, keys and values is removed. A `key=value` or a
 * comment after a blank is an error, because it would become a part of the URL.
 * @returns undefined for an empty line and a comment; `error` for a wrong line
 */
export function parseSeedLine(line: string): Seed | { readonly error: string } | undefined {
  const trimmed = line.trim();
  if (trimmed === '' || trimmed.startsWith('#')) return undefined;
  const [url, ...tokens] = trimmed.split('\t').map((token) => token.trim()) as [string, ...string[]];
  const misread = misreadUrl(url);
  if (misread !== undefined) return { error: misread };
  let score: number | undefined;
  let fetchInterval: number | undefined;
  const metadata: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const token of tokens) {
    if (token === '') continue;
    const equals = token.indexOf('=');
    if (equals <= 0) return { error: `"${token}" after the URL is not key=value` };
    const key = token.slice(0, equals).trim();
    const value = token.slice(equals + 1).trim();
    if (/^(nutch\.)?score$/.test(key)) {
      score = Number(value);
      if (value === '' || !Number.isFinite(score)) return { error: `the score "${value}" is not a number` };
    } else if (/^(nutch\.)?fetchInterval$/.test(key)) {
      fetchInterval = Number(value);
      if (!/^\d+$/.test(value) || !Number.isSafeInteger(fetchInterval)) {
        return { error: `the fetchInterval "${value}" is not a whole number of seconds` };
      }
    } else if (KNOWN_AFTER_BLANK.test(value)) {
      return { error: `"${token}" has a blank where a tab must separate key=value` };
    } else {
      metadata[key] = value;
    }
  }
  return {
    url,
    ...(score !== undefined && { score }),
    ...(fetchInterval !== undefined && { fetchInterval }),
    metadata: { ...metadata },
  };
}

const KNOWN_AFTER_BLANK = /\s(nutch\.)?(score|fetchInterval)\s*=/;

/** Returns an error if a `key=value` or a comment follows the URL after a blank. Otherwise returns undefined. */
function misreadUrl(url: string): string | undefined {
  const value = /\s([\w.-]+)\s*=/.exec(url);
  if (value) return `a blank before ${value[1]}=, where a tab must be; in a URL a blank is %20`;
  if (/\s#/.test(url)) return 'a comment after the URL; it must be on a line of its own';
  return undefined;
}
