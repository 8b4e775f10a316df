import type { KeyRange } from '../../../../webtable/index.js';
import type { IndexQuery } from '../../reader.js';
import type { SqlValue } from '../database.js';

/** What a query asks of the row of a page in `docs d`, as SQL with its values; no text where it asks nothing. */
export interface Conditions {
  readonly sql: readonly string[];
  readonly values: readonly SqlValue[];
}

/** When a page last changed; where that is not known, when it was fetched. */
const TIME = 'case when d.modified > 0 then d.modified else d.fetched end';

/** Conditions on site, language and time. */
export function conditionsOf(query: Omit<IndexQuery, 'must' | 'mustNot' | 'weights' | 'limit'>): Conditions {
  const { sites = [], notSites = [], languages = [], notLanguages = [], from, to } = query;
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
