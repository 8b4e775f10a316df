import { CrawlError } from '../../../errors/index.js';
import type { KeyRange } from '../../../core/index.js';
import type { IndexQuery } from '../../reader.js';
import type { SqlValue } from '../database.js';

/** The conditions of a query on a row of `docs d`: SQL expressions, and the values for their question marks. */
interface Conditions {
  readonly sql: readonly string[];
  readonly values: readonly SqlValue[];
}

/** Maximum number of key ranges or languages in one condition. SQLite refuses an expression that is nested a thousand deep. */
const MAX_ALTERNATIVES = 128;

/** The time when a page last changed. If it is unknown, the time when the page was fetched. */
const TIME = 'case when d.modified > 0 then d.modified else d.fetched end';

/** @throws CrawlError USAGE for too many conditions */
export function conditionsOf(query: Omit<IndexQuery, 'must' | 'mustNot' | 'weights' | 'limit'>): Conditions {
  const { sites = [], notSites = [], languages = [], notLanguages = [], from, to } = query;
  const most = Math.max(...[sites, notSites, languages, notLanguages].map(({ length }) => length));
  if (most > MAX_ALTERNATIVES) {
    throw new CrawlError(
      'USAGE',
      `expected at most ${MAX_ALTERNATIVES} sites and as many languages in a query, found ${most}`,
    );
  }
  const sql: string[] = [];
  const values: SqlValue[] = [];
  const add = (text: string, ...more: readonly SqlValue[]): void => {
    sql.push(text);
    values.push(...more);
  };
  const ranges = (list: readonly KeyRange[]): [string, ...SqlValue[]] => [
    `(${list.map(({ end }) => (end === undefined ? 'd.key >= ?' : '(d.key >= ? and d.key < ?)')).join(' or ')})`,
    ...list.flatMap(({ start, end }) => (end === undefined ? [start] : [start, end])),
  ];
  if (sites.length > 0) add(...ranges(sites));
  if (notSites.length > 0) {
    const [text, ...more] = ranges(notSites);
    add(`not ${text}`, ...more);
  }
  if (languages.length > 0) add(`d.language in (${languages.map(() => '?').join()})`, ...languages);
  if (notLanguages.length > 0) add(`d.language not in (${notLanguages.map(() => '?').join()})`, ...notLanguages);
  if (from !== undefined) add(`${TIME} >= ?`, from);
  if (to !== undefined) add(`${TIME} < ?`, to);
  return { sql, values };
}
