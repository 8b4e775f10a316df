import { cutParameter } from './facets.js';
import type { JudgeParameter } from './parameters.js';
import { ALIKE, MOST, areAlike, isEnoughFetched, shareOf } from './thresholds.js';

/** Shorter values may be words or numbers of things. */
const LEAST_LENGTH = 12;
/** Letters and digits that follow each other in a value, as in `a1b2`: words with a number have one or two such places. */
const LEAST_CHANGES = 3;
/** Rows at least for each URL without the parameter: what names a thing comes with the URLs of that thing alone. */
const LEAST_REPEATS = 2;
/** URLs without it at least: an id that names things is on a few pages with each of its values. */
const LEAST_RESTS = 10;

const SIGNS = /^[\w.~!*-]+$/;
const CHANGE = /[a-z](?=\d)|\d(?=[a-z])/gi;

/** Whether a value was made by a machine to be unlike all others: long, of letters and digits in no order. */
export function looksLikeId(value: string): boolean {
  if (value.length < LEAST_LENGTH || !SIGNS.test(value)) return false;
  const changes = value.slice(0, 100).match(CHANGE)?.length ?? 0;
  return changes >= LEAST_CHANGES;
}

/**
 * Knows ids of sessions by what they do, not by name: values that look like ids, and the same URLs again and again but for the value.
 * It is offered where
 *
 * - pages are the same under different values, or without, and nearly every URL without the id is in the table, so that no page is
 *   reached with an id only; or
 * - none of the many that were asked for is useful, while the domain has enough that is. How many URLs are known with an id only is in the
 *   evidence (`onlyWithId`), and the link graph says whether useful pages are behind them.
 *
 * Where useful pages have the id themselves nothing is offered: a rule cuts, and what they need is a normaliser that takes the id away.
 */
export const session: JudgeParameter = (facts, domain, minUseful) => {
  const { rows, ids, rests, sampled, fetched, knownWithout, compared, alike, comparedValues, alikeValues } = facts;
  if (ids < MOST * rows || rests < LEAST_RESTS || sampled < LEAST_REPEATS * rests) return undefined;
  const isSame = areAlike(alike, compared) || areAlike(alikeValues, comparedValues);
  const isSafe = isSame && knownWithout >= ALIKE * sampled;
  if (!isSafe && !isEnoughFetched(fetched, domain, minUseful)) return undefined;
  const candidate = cutParameter(facts, 'session', {
    because: isSafe
      ? 'values like ids, the same documents under other values, and without'
      : 'values like ids, the same URLs under other values, none of them useful',
    valuesLikeIds: shareOf(ids, rows)!,
    urlsWithoutId: rests,
    compared: comparedValues + compared,
    alike: alikeValues + alike,
    knownWithout: shareOf(knownWithout, sampled)!,
    onlyWithId: Math.round(((sampled - knownWithout) / sampled) * rows),
    ...(!isSafe && { useful: 0, domainUseful: domain.fit, domainRows: domain.rows }),
  });
  return { ...candidate, isOfCopies: isSafe };
};
