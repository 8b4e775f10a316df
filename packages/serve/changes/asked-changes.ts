import type { ChangesOptions } from '../../changes/index.js';
import { CHANGE_KINDS, hostRange, isCursor, timeOfCursor, type ChangeKind } from '../../core/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { defined } from '../../util/index.js';

export interface AskedChanges {
  readonly filter: Pick<ChangesOptions, 'kinds' | 'host'>;
  /** Return changes from this time on, in ms since the epoch, or from the mark with this name on. */
  readonly since?: number | string;
  readonly cursor?: string;
  /** Return changes before this cursor, the newest first. */
  readonly before?: string;
  readonly limit: number;
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads the parameters `since`, `cursor`, `before`, `kind`, `host` and `limit`.
 * @param usual default number of changes; `most` is the maximum number
 * @throws CrawlError USAGE; BAD_URL for an invalid host
 */
export function askedChanges(params: URLSearchParams, { usual, most }: { usual: number; most: number }): AskedChanges {
  const kinds = params.getAll('kind').flatMap((each) => each.split(',').filter((name) => name !== ''));
  const wrong = kinds.find((kind) => !(CHANGE_KINDS as readonly string[]).includes(kind));
  if (wrong !== undefined) throw usage(`kinds of ${CHANGE_KINDS.join(', ')}`, wrong);
  const host = params.get('host')?.trim() ?? '';
  if (host !== '') hostRange(host);
  const [cursor, before] = ['cursor', 'before'].map((name) => cursorOf(params.get(name) ?? ''));
  const since = sinceOf(params.get('since')?.trim() ?? '');
  const limit = params.get('limit') ?? String(usual);
  if (!/^\d{1,6}$/.test(limit) || Number(limit) < 1 || Number(limit) > most)
    throw usage(`a limit from 1 to ${most}`, limit);
  return {
    filter: { ...(kinds.length > 0 && { kinds: kinds as ChangeKind[] }), ...(host !== '' && { host }) },
    limit: Number(limit),
    ...defined({ since, cursor, before }),
  };
}

export function filterParams({ kinds = [], host }: AskedChanges['filter']): URLSearchParams {
  const params = new URLSearchParams();
  if (kinds.length > 0) params.set('kind', kinds.join(','));
  if (host !== undefined) params.set('host', host);
  return params;
}

function cursorOf(text: string): string | undefined {
  if (text === '') return undefined;
  if (isCursor(text) && Number.isSafeInteger(timeOfCursor(text))) return text;
  throw usage('the cursor of a change', text);
}

/** Parses a time, a duration before now, or the name of a mark. */
function sinceOf(text: string): number | string | undefined {
  if (text === '') return undefined;
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * UNITS[unit as keyof typeof UNITS];
  if (/^\d{5,15}$/.test(text)) return Number(text);
  if (!/^\d/.test(text)) return text;
  // A time without a zone is UTC.
  const time = ISO.test(text) ? Date.parse(/T[^Z+-]*$/.test(text) ? `${text}Z` : text) : NaN;
  if (Number.isNaN(time)) throw usage('a time such as 2026-01-31, 2026-01-31T09:30Z, 7d, or the name of a mark', text);
  return time;
}

function usage(expected: string, found: string): CrawlError {
  return new CrawlError('USAGE', `expected ${expected}, found "${safeText(found, 100)}"`);
}
