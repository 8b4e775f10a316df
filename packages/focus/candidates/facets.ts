import type { Candidate } from './candidate.js';
import type { JudgeParameter, ParameterFacts } from './parameters.js';
import { ALIKE, areAlike, isEnoughFetched, shareOf } from './thresholds.js';
import { patternOf, shownParameter } from './url-parameters.js';

/** URLs of one path that a parameter makes at least: a filter or an order of a list makes as many as there are combinations. */
const LEAST_A_PATH = 3;

/**
 * Knows parameters that only order or filter what is there, for one of two reasons.
 *
 * - _Same documents_: the pages with it are those without it, and nearly all of these are in the table. The same document has the same
 *   links, so nothing is lost without them, whatever is useful.
 * - _Nothing useful_: it makes many URLs of few paths, of which many were asked for and none is useful, while the domain has enough
 *   that is. Whether useful pages are found by them only is for the link graph to say.
 */
export const facet: JudgeParameter = (facts, domain, minUseful) => {
  const { rows, fetched, paths, sampled, knownWithout, compared, alike } = facts;
  if (areAlike(alike, compared) && knownWithout >= ALIKE * sampled) {
    const candidate = cutParameter(facts, 'facet', {
      because: 'the same documents are there without it',
      compared,
      alike,
      knownWithout: shareOf(knownWithout, sampled)!,
    });
    return { ...candidate, isOfCopies: true };
  }
  if (!isEnoughFetched(fetched, domain, minUseful) || rows < LEAST_A_PATH * paths) return undefined;
  return cutParameter(facts, 'facet', {
    because: 'many URLs of few paths, none of them useful',
    useful: 0,
    domainUseful: domain.fit,
    domainRows: domain.rows,
    ...(compared > 0 && { compared, alike }),
  });
};

/** A rule that cuts all URLs of a host with a parameter, and what is known of it. */
export function cutParameter(
  { host, parameter, rows, fetched, paths, values, examples }: ParameterFacts,
  reason: Candidate['reason'],
  figures: Candidate['evidence'],
): Candidate {
  return {
    rule: {
      kind: 'reject',
      origin: 'generated',
      scope: `host:${host}`,
      pattern: { regex: patternOf(parameter) },
    },
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
