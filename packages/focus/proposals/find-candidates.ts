import { type CrawlContext, type Tracker, domainRanges, hostKeyOf } from '../../core/index.js';
import { CrawlError } from '../../errors/index.js';
import { checkRule, saying, type RuleSet } from '../../rules/index.js';
import {
  FINDER_FIELDS,
  type Candidate,
  type CandidateFinder,
  type CreateFinder,
  type ReadTexts,
} from '../candidates/candidate.js';
import { createPageJudge } from './page-judge.js';

interface FoundCandidates {
  readonly domain: string;
  readonly candidates: readonly Candidate[];
}

interface FindOptions {
  readonly finders: readonly CreateFinder[];
  readonly domain?: string | undefined;
  /** Row keys of pages on the only way to a relevant page. No candidate may reject these pages. */
  readonly needed: ReadonlySet<string>;
  readonly tracker: Tracker;
  /** Whether people decide on the candidates. If so, endless sections are found even if there is no `relevant` rule. Default: false. */
  readonly isForReview?: boolean;
}

/** If there are more, those with the fewest rows are dropped. */
const MAX_CANDIDATES_PER_DOMAIN = 50;

interface OpenDomain {
  readonly finders: readonly CandidateFinder[];
  rows: number;
  relevant: number;
  fetched: number;
}

interface Said {
  readonly candidate: Candidate;
  readonly said: string;
}

/**
 * Finds candidates in one pass over the hot family. Every row that the present rules accept goes to the finders of its domain. At the end
 * of a domain, its finders return their candidates. Texts of pages are read only for the few rows that a finder requests. A rule that
 * equals an active or disabled rule is no candidate. If a domain has a disabled generated `www` rule, no `www` rule is a candidate for
 * this domain. Memory holds the finders of the open domains, one or a few at a time.
 */
export async function findCandidates(
  { tables, settings }: Pick<CrawlContext, 'tables' | 'settings'>,
  ruleSet: RuleSet,
  { finders, domain: only, needed, tracker, isForReview = false }: FindOptions,
): Promise<FoundCandidates[]> {
  const judge = createPageJudge(ruleSet);
  const known = new Set(ruleSet.stored.rules.map(saying));
  // If a user disabled the `www` rule of a domain, no `www` rule is proposed for this domain again.
  const withoutWww = new Set(
    ruleSet.stored.rules
      .filter(({ kind, origin, state }) => kind === 'www' && origin === 'generated' && state === 'disabled')
      .map(({ scope }) => scope),
  );
  const hasRelevant = ruleSet.active.some(({ kind }) => kind === 'relevant');
  const isWithoutWww = ({ kind, scope = '*' }: Candidate['rule']): boolean => kind === 'www' && withoutWww.has(scope);
  const open = new Map<string, OpenDomain>();
  const found: FoundCandidates[] = [];

  const readTexts: ReadTexts = async (keys) => {
    const rows = await tables.pages.getMany(keys, ['title', 'text']);
    return rows.map((row) => (row?.damaged ? undefined : row));
  };

  async function close(domain: string, { finders: ofDomain, ...facts }: OpenDomain): Promise<void> {
    open.delete(domain);
    tracker.count('domains');
    for (const finder of ofDomain) await finder.look?.(readTexts);
    const candidates = ofDomain
      .flatMap((finder) => finder.find({ domain, hasRelevant, isForReview, ...facts }))
      .flatMap((candidate): Said[] => {
        const said = sayingOf(candidate.rule);
        if (said === undefined) tracker.count('invalid');
        else if (known.has(said) || isWithoutWww(candidate.rule)) tracker.count('known');
        else return [{ candidate, said }];
        return [];
      })
      .sort(byRows)
      .map(({ candidate }) => candidate);
    tracker.count('candidates', candidates.length);
    tracker.count('over_limit', Math.max(0, candidates.length - MAX_CANDIDATES_PER_DOMAIN));
    if (candidates.length > 0) found.push({ domain, candidates: candidates.slice(0, MAX_CANDIDATES_PER_DOMAIN) });
  }

  let last: string | undefined;
  const ranges = only === undefined ? undefined : [...domainRanges(only)];
  for await (const row of tables.pages.scan({ fields: FINDER_FIELDS, ...(ranges && { ranges }) })) {
    if (tracker.aborted) return [];
    tracker.count('rows');
    tracker.done();
    if (row.damaged) tracker.fail('damaged');
    const { url, host, domain, isTaken, isRelevant, isKept } = judge(row);
    if (!isTaken) continue;
    if (domain !== last) {
      last = domain;
      for (const [name, each] of open) if (name !== domain && isThrough(name, row.key)) await close(name, each);
    }
    let ofDomain = open.get(domain);
    if (!ofDomain) {
      ofDomain = { finders: finders.map((create) => create(settings)), rows: 0, relevant: 0, fetched: 0 };
      open.set(domain, ofDomain);
    }
    ofDomain.rows += 1;
    if (isRelevant) ofDomain.relevant += 1;
    if (row.status !== undefined && row.status !== 'unfetched') ofDomain.fetched += 1;
    const pathStart = url.indexOf('/', url.indexOf('//') + 2);
    const seen = {
      ...row,
      url,
      host,
      origin: url.slice(0, pathStart),
      path: url.slice(pathStart),
      relevant: isRelevant,
      isKept: isKept || needed.has(row.key),
    };
    for (const finder of ofDomain.finders) finder.add(seen);
  }
  for (const [name, each] of open) await close(name, each);
  return found;
}

/** Whether all rows of a domain sort before this key. Rows of its sub-domains are included; rows of other domains may be between them. */
function isThrough(domain: string, key: string): boolean {
  return key > `${hostKeyOf(domain)};`;
}

/** Returns the content of a rule as a key. Undefined for a rule that cannot be used, for example because its prefix is too long. */
export function sayingOf(rule: unknown): string | undefined {
  try {
    return saying(checkRule(rule));
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'BAD_RULE') return undefined;
    throw error;
  }
}

/**
 * Compares two candidates. The one with more rows is first. If the numbers are equal, the content of the rules decides, then the order of
 * the finders.
 */
function byRows({ candidate: a, said: first }: Said, { candidate: b, said: second }: Said): number {
  return b.rows - a.rows || (first < second ? -1 : first > second ? 1 : 0);
}
