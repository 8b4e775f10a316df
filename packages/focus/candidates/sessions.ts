import { rejectParameter } from './facets.js';
import type { JudgeParameter } from './parameters.js';
import { MIN_ALIKE_SHARE, NEARLY_ALL_SHARE, areAlike, becauseOf, isWorthRejecting, shareOf } from './thresholds.js';

/** The id of a thing has fewer rows for each URL without the parameter, because it occurs only in the URLs of that thing. */
const MIN_ROWS_PER_REST = 2;
/** The id of a thing occurs in few URLs. */
const MIN_RESTS = 10;

/**
 * Recognises session ids by their values, not by their names: the values look like ids, and the same URLs occur many times with different
 * values. Such a parameter becomes a candidate in two cases:
 *
 * - Pages are the same with other values or without the parameter, and nearly every URL without the id is in the table. So every page can
 *   be reached without an id.
 * - Many of the pages were requested and none is relevant, while the domain has enough relevant pages. The evidence has the number of
 *   URLs that are known only with an id (`onlyWithId`). The link graph decides whether such URLs lead to relevant pages.
 *
 * If URLs of relevant pages have the id, there is no candidate, because the rule would reject these pages. Such a site needs a normaliser
 * that removes the id.
 */
export const session: JudgeParameter = (facts, domain, minRelevant) => {
  const { rows, ids, rests, sampled, knownWithout, compared, alike, comparedValues, alikeValues } = facts;
  if (ids < NEARLY_ALL_SHARE * rows || rests < MIN_RESTS || sampled < MIN_ROWS_PER_REST * rests) return undefined;
  const isSame = areAlike(alike, compared) || areAlike(alikeValues, comparedValues);
  const isSafe = isSame && knownWithout >= MIN_ALIKE_SHARE * sampled;
  if (!isSafe && !isWorthRejecting(facts, domain, minRelevant)) return undefined;
  const candidate = rejectParameter(facts, 'session', {
    because: isSafe
      ? 'the values look like ids; the same documents exist with other values, and without the parameter'
      : becauseOf('the values look like ids, and the same URLs occur with other values', domain),
    valuesLikeIds: shareOf(ids, rows)!,
    urlsWithoutId: rests,
    compared: comparedValues + compared,
    alike: alikeValues + alike,
    knownWithout: shareOf(knownWithout, sampled)!,
    onlyWithId: Math.round(((sampled - knownWithout) / sampled) * rows),
    ...(!isSafe && { relevant: 0, domainRelevant: domain.relevant, domainRows: domain.rows }),
  });
  return { ...candidate, isOfCopies: isSafe };
};
