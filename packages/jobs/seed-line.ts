/** One line of a seed file. */
export interface Seed {
  readonly url: string;
  readonly score?: number;
  /** Seconds. */
  readonly fetchInterval?: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Reads a seed line: a URL, then tab-separated `key=value`. `score` and `fetchInterval`, with or without Nutch's prefix
 * `nutch.`, set those; any other key becomes metadata. White space around the URL, keys and values is cut.
 * @returns undefined for an empty line and a comment, `error` for a line that is wrong
 */
export function parseSeedLine(line: string): Seed | { readonly error: string } | undefined {
  const trimmed = line.trim();
  if (trimmed === '' || trimmed.startsWith('#')) return undefined;
  const [url, ...tokens] = trimmed.split('\t').map((token) => token.trim()) as [string, ...string[]];
  let score: number | undefined;
  let fetchInterval: number | undefined;
  const metadata: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const token of tokens) {
    if (token === '') continue;
    const equals = token.indexOf('=');
    if (equals <= 0) return { error: `expected key=value after the URL, found "${token}"` };
    const key = token.slice(0, equals).trim();
    const value = token.slice(equals + 1).trim();
    if (/^(nutch\.)?score$/.test(key)) {
      score = Number(value);
      if (value === '' || !Number.isFinite(score)) return { error: `expected a number as score, found "${value}"` };
    } else if (/^(nutch\.)?fetchInterval$/.test(key)) {
      fetchInterval = Number(value);
      if (!/^\d+$/.test(value) || !Number.isSafeInteger(fetchInterval)) {
        return { error: `expected whole seconds as fetchInterval, found "${value}"` };
      }
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
