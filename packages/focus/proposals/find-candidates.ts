import type { CrawlContext, Tracker } from '../../jobs/index.js';
import { domainRanges, hostKeyOf } from '../../../webtable/index.js';
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

/** What was found for a domain. */
export interface FoundCandidates {
  readonly domain: string;
  readonly candidates: readonly Candidate[];
}

/** How to look. */
export interface FindOptions {
  readonly finders: readonly CreateFinder[];
  /** Only this domain, and the hosts below it. */
  readonly domain?: string | undefined;
  /** Row keys of pages that are on the only way to a useful one, so that nothing may cut them. */
  readonly needed: ReadonlySet<string>;
  readonly tracker: Tracker;
}

/** Of one domain: the rest is dropped, with the fewest rows first. */
const MOST_OF_DOMAIN = 50;

/** A domain of which rows may still come. */
interface OpenDomain {
  readonly finders: readonly CandidateFinder[];
  rows: number;
  fit: number;
  fetched: number;
}

/** A candidate, and what its rule says. */
interface Said {
  readonly candidate: Candidate;
  readonly said: string;
}

/**
 * Shows every row that the rules of now take to the finders of its domain, in one pass over the hot family, and asks them for candidates
 * when the domain is through; what pages say is read of the few that a finder asks for. What is there already, in force or disabled, is no candidate, nor is a `www` rule
 * for a domain of which a generated one was disabled. It holds what the finders hold of the domains
 * that are open, which are one or a few at a time.
 */
export async function findCandidates(
  { tables, settings }: Pick<CrawlContext, 'tables' | 'settings'>,
  ruleSet: RuleSet,
  { finders, domain: only, needed, tracker }: FindOptions,
): Promise<FoundCandidates[]> {
  const judge = createPageJudge(ruleSet);
  const known = new Set(ruleSet.stored.rules.map(saying));
  // Whoever has disabled one of a domain wants neither form of it.
  const withoutWww = new Set(
    ruleSet.stored.rules
      .filter(({ kind, origin, state }) => kind === 'www' && origin === 'generated' && state === 'disabled')
      .map(({ scope }) => scope),
  );
  const hasUseful = ruleSet.active.some(({ kind }) => kind === 'useful');
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
      .flatMap((finder) => finder.find({ domain, hasUseful, ...facts }))
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
    tracker.count('over_limit', Math.max(0, candidates.length - MOST_OF_DOMAIN));
    if (candidates.length > 0) found.push({ domain, candidates: candidates.slice(0, MOST_OF_DOMAIN) });
  }

  let last: string | undefined;
  const ranges = only === undefined ? undefined : [...domainRanges(only)];
  for await (const row of tables.pages.scan({ fields: FINDER_FIELDS, ...(ranges && { ranges }) })) {
    if (tracker.aborted) return [];
    tracker.count('rows');
    tracker.done();
    if (row.damaged) tracker.fail('damaged');
    const { url, host, domain, isTaken, isFit, isKept } = judge(row);
    if (!isTaken) continue;
    if (domain !== last) {
      last = domain;
      for (const [name, each] of open) if (name !== domain && isThrough(name, row.key)) await close(name, each);
    }
    let ofDomain = open.get(domain);
    if (!ofDomain) {
      ofDomain = { finders: finders.map((create) => create(settings)), rows: 0, fit: 0, fetched: 0 };
      open.set(domain, ofDomain);
    }
    ofDomain.rows += 1;
    if (isFit) ofDomain.fit += 1;
    if (row.status !== undefined && row.status !== 'unfetched') ofDomain.fetched += 1;
    const pathStart = url.indexOf('/', url.indexOf('//') + 2);
    const seen = {
      ...row,
      url,
      host,
      origin: url.slice(0, pathStart),
      path: url.slice(pathStart),
      fit: isFit,
      isKept: isKept || needed.has(row.key),
    };
    for (const finder of ofDomain.finders) finder.add(seen);
  }
  for (const [name, each] of open) await close(name, each);
  return found;
}

/** Whether no row of a domain comes after a key: its sub-domains come before it, with others between. */
function isThrough(domain: string, key: string): boolean {
  return key > `${hostKeyOf(domain)};`;
}

/** What a rule says; undefined of one that is none, such as a prefix that is too long. */
function sayingOf(rule: Candidate['rule']): string | undefined {
  try {
    return saying(checkRule(rule));
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'BAD_RULE') return undefined;
    throw error;
  }
}

/** Of as many rows by what they say; of those that say the same the finder that comes first. */
function byRows({ candidate: a, said: first }: Said, { candidate: b, said: second }: Said): number {
  return b.rows - a.rows || (first < second ? -1 : first > second ? 1 : 0);
}
