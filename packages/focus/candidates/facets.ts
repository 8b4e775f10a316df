import { rejectRule, type Candidate } from './candidate.js';
import type { JudgeParameter, ParameterFacts } from './parameters.js';
import { MIN_ALIKE_SHARE, areAlike, becauseOf, isWorthRejecting, shareOf } from './thresholds.js';
import { patternOf, shownParameter } from './url-parameters.js';

/** Filters and orders of a list make one URL for each combination. */
const MIN_URLS_PER_PATH = 3;

/**
 * Finds parameters that only order or filter existing pages, for one of two reasons.
 *
 * - _Same documents_: a page is the same document with and without the parameter, and nearly all pages without it are in the table. The
 *   same document has the same links. Therefore nothing is lost when the pages with the parameter are rejected, even if some are relevant.
 * - _Nothing relevant_: the parameter makes many URLs of few paths. Many of these URLs were fetched, and none is relevant, while the
 *   domain has enough relevant pages. The link graph decides whether relevant pages are found only through these URLs.
 */
export const facet: JudgeParameter = (facts, domain, minRelevant) => {
  const { rows, paths, sampled, knownWithout, compared, alike } = facts;
  if (areAlike(alike, compared) && knownWithout >= MIN_ALIKE_SHARE * sampled) {
    const candidate = rejectParameter(facts, 'facet', {
      because: 'the same documents exist without the parameter',
      compared,
      alike,
      knownWithout: shareOf(knownWithout, sampled)!,
    });
    return { ...candidate, isOfCopies: true };
  }
  if (!isWorthRejecting(facts, domain, minRelevant) || rows < MIN_URLS_PER_PATH * paths) return undefined;
  return rejectParameter(facts, 'facet', {
    because: becauseOf('many URLs of few paths', domain),
    relevant: 0,
    domainRelevant: domain.relevant,
    domainRows: domain.rows,
    ...(compared > 0 && { compared, alike }),
  });
};

export function rejectParameter(
  { host, parameter, rows, fetched, paths, values, examples }: ParameterFacts,
  reason: Candidate['reason'],
  figures: Candidate['evidence'],
): Candidate {
  return {
    rule: rejectRule(host, { regex: patternOf(parameter) }),
    reason,
    evidence: {
      parameter: shownParameter(parameter),
      rows,
      fetched,
      paths,
      values,
      ...figures,
      examples: [...examples],
    },
    rows,
  };
}
