import { CrawlError, safeText } from '../errors/index.js';

/**
 * An error in a line of a rule file. It is thrown by the function that reads the line. `hint` says what to do. For an error in a pattern,
 * `at` is the position in the pattern, from 0 on.
 */
export class BadRule extends Error {
  constructor(
    message: string,
    readonly hint?: string,
    readonly at?: number,
  ) {
    super(message);
  }
}

interface RuleLine<T> {
  readonly line: number;
  readonly rule: T;
}

/**
 * Reads a text file with one rule per line. Blank lines and lines that start with `#` are ignored. CRLF and a byte order mark are
 * accepted. `read` gets every other line as written.
 * @param what names the file in the message
 * @throws CrawlError BAD_SETTING that lists every line for which `read` threw {@link BadRule}, with their hints
 */
export function readRules<T>(what: string, text: string, read: (line: string) => T): RuleLine<T>[] {
  const rules: RuleLine<T>[] = [];
  const wrong: string[] = [];
  const hints = new Set<string>();
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (raw.startsWith('#') || raw.trim() === '') continue;
    const line = index + 1;
    try {
      rules.push({ line, rule: read(raw) });
    } catch (error) {
      if (!(error instanceof BadRule)) throw error;
      wrong.push(`line ${line}: ${error.message}, found "${safeText(raw)}"`);
      if (error.hint !== undefined) hints.add(error.hint);
    }
  }
  if (wrong.length > 0) {
    throw new CrawlError('BAD_SETTING', `${what}: ${wrong.join('; ')}`, {
      ...(hints.size > 0 && { hint: [...hints].join('; ') }),
    });
  }
  return rules;
}
