import {
  CrawlError,
  domainRanges,
  hostRange,
  safeText,
  urlOf,
  type CrawlContext,
  type JobOptions,
  type KeyRange,
  type Rule,
  type RuleScope,
} from '../../core/index.js';
import { compileRulesInSlices, describeRule, type CheckedRule, type RuleSet } from '../../rules/index.js';

/** Two rules that decide differently on the same URLs. An id is absent if the rule is not added yet. */
export interface TestedContradiction {
  /** The id of the rule that would decide. */
  readonly decides?: string;
  /** The id of the rule that would have no effect. */
  readonly idle?: string;
}

/** Figures of the URLs that a change of rules would reject: the `details` of RULE_DANGER. URLs are untrusted. */
export type RuleDanger = Pick<RuleEffect, 'rows' | 'rejected' | 'seeds' | 'seedUrls' | 'rejectsAll'>;

/** The effect of rules on the existing rows. URLs are untrusted. */
export interface RuleEffect {
  /** Number of rows in the scopes of the rules. */
  readonly rows: number;
  /**
   * Number of these rows on which the rules decide. Of the `accept` and `reject` rules, the first one that matches a URL decides. A
   * `relevant` rule decides if it matches. A `www` rule decides if it rewrites the URL.
   */
  readonly decides: number;
  /** Number of rows that the present rules accept, and that the changed rules would refuse. */
  readonly rejected: number;
  /** Number of `rejected` rows that are relevant by the present rules. */
  readonly rejectedRelevant: number;
  /** Number of rows that the present rules refuse, and that the changed rules would accept. */
  readonly letIn: number;
  /** Number of rows that would become relevant. */
  readonly relevant: number;
  /** Number of `rejected` rows that are seeds. */
  readonly seeds: number;
  /** Up to five of the rejected seeds. */
  readonly seedUrls: readonly string[];
  /** Up to five of the rows on which the rules decide. */
  readonly examples: readonly string[];
  /** Whether every page of the table would be rejected. */
  readonly rejectsAll: boolean;
  /** Contradictions with existing rules, or between two of the new rules. */
  readonly contradictions: readonly TestedContradiction[];
  /** Set if reading was stopped before all rows were read. */
  readonly interrupted?: true;
}

const SHOWN = 5;
/** URLs with different schemes, hosts and paths. Rules that reject all of these URLs would reject every URL. */
const ANY = ['http://a.example/', 'https://www.b.example/x/y?z=1', 'https://c.example/index.html'];

/** Temporary ids for rules that are not added yet. No rule of a table has such an id. */
const idOf = (i: number): string => `r${1e15 + i}`;

/**
 * Finds out the effect of rules that are not added yet, or not active. The function reads the rows of the hosts and domains of these
 * rules, and writes nothing.
 */
export async function testRules(
  crawl: Pick<CrawlContext, 'tables' | 'rules' | 'settings' | 'clock'>,
  given: readonly (CheckedRule | Rule)[],
  { signal }: Pick<JobOptions, 'signal'> = {},
): Promise<RuleEffect> {
  return effectOf(
    crawl,
    given.map((rule) => ({ ...rule, state: 'active' })),
    signal,
  );
}

/** @param given new rules, or rules that replace those with the same id */
async function effectOf(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>,
  given: readonly (CheckedRule | Rule)[],
  signal?: AbortSignal,
): Promise<RuleEffect> {
  const { tables, settings } = crawl;
  const stored = await tables.rules.read();
  const now = crawl.clock();
  const made = given.map((rule, i): Rule => {
    const id = 'id' in rule ? rule.id : idOf(i);
    return { createdAt: now, ...rule, changedAt: now, id };
  });
  const ids = new Set(made.map(({ id }) => id));
  const known = new Set(given.flatMap((rule) => ('id' in rule ? [rule.id] : [])));
  const isNew = (id: string): boolean => ids.has(id) && !known.has(id);
  const rules = [...stored.rules.filter(({ id }) => !ids.has(id)), ...made];
  const before = await compileRulesInSlices(stored, settings.scoring.relevant);
  const after = await compileRulesInSlices({ ...stored, rules }, settings.scoring.relevant);

  const ranges = rangesOf(made.map(({ scope }) => scope));
  const found = { rows: 0, decides: 0, rejected: 0, rejectedRelevant: 0, letIn: 0, relevant: 0, seeds: 0 };
  const seedUrls: string[] = [];
  const examples: string[] = [];
  let left = 0;
  let interrupted = false;
  for await (const { key, marks } of tables.pages.scan({ fields: ['status', 'marks'], ...(ranges && { ranges }) })) {
    if (signal?.aborted) {
      interrupted = true;
      break;
    }
    const url = urlOf(key);
    found.rows += 1;
    const [was, is] = [isTaken(before, url), isTaken(after, url)];
    if (was) left += 1;
    if (deciding(after, url).some((id) => id !== undefined && ids.has(id))) {
      found.decides += 1;
      if (examples.length < SHOWN) examples.push(url);
    }
    if (!before.relevanceOf(url) && after.relevanceOf(url)) found.relevant += 1;
    if (!was && is) found.letIn += 1;
    if (!was || is) continue;
    found.rejected += 1;
    if (before.relevanceOf(url)) found.rejectedRelevant += 1;
    if (marks?.inject === undefined) continue;
    found.seeds += 1;
    if (seedUrls.length < SHOWN) seedUrls.push(url);
  }
  const rejectsAny = ANY.every((url) => isTaken(before, url) && !isTaken(after, url));
  const rejectsRows =
    found.rejected > 0 && found.rejected === left && !interrupted && !(await hasOthers(crawl, ranges));
  return {
    ...found,
    seedUrls,
    examples,
    rejectsAll: rejectsAny || rejectsRows,
    contradictions: (await after.contradictions())
      .filter(({ decides, idle }) => ids.has(decides) || ids.has(idle))
      .map(({ decides, idle }) => ({
        ...(!isNew(decides) && { decides }),
        ...(!isNew(idle) && { idle }),
      })),
    ...(interrupted && { interrupted }),
  };
}

/**
 * Checks that a change of rules rejects neither a seed nor every page. There are three ways in which a change may reject a page: a
 * `reject` rule becomes active; an `accept` rule before a `reject` rule is disabled or removed; a `www` rule gives the page a URL that a
 * `reject` rule refuses.
 * @param given the changed rules; a rule to remove must be disabled here
 * @throws CrawlError RULE_DANGER, whose `details` are a {@link RuleDanger}
 */
export async function mustBeHarmless(
  crawl: Pick<CrawlContext, 'tables' | 'rules' | 'settings' | 'clock'>,
  given: readonly (CheckedRule | Rule)[],
): Promise<void> {
  // A `www` rule changes the URL under which a page is fetched. Other rules may refuse that URL.
  const rejecting = given.filter(
    ({ kind, state }) => kind === 'www' || kind === (state === 'active' ? 'reject' : 'accept'),
  );
  if (rejecting.length === 0) return;
  const { rejected, rows, seeds, seedUrls, rejectsAll } = await effectOf(crawl, given);
  const details: RuleDanger = { rejected, rows, seeds, seedUrls, rejectsAll };
  if (!rejectsAll && seeds === 0) return;
  const what = rejectsAll
    ? `every page (${rejected} of ${rows} rows)`
    : `${seeds} ${seeds === 1 ? 'seed' : 'seeds'} (${seedUrls.map((url) => safeText(url, 200)).join(', ')}), and ${rejected} of ${rows} rows in all`;
  const [first] = rejecting as readonly Rule[];
  const name = rejecting.length === 1 ? describeRule(first!) : `${rejecting.length} rules`;
  const does = first!.state === 'active' ? `${name} would reject` : `the rules without ${name} would reject`;
  throw new CrawlError(
    'RULE_DANGER',
    `expected rules that keep all seeds and at least one page, found that ${does} ${what}`,
    {
      hint: 'if you want this, use --yes',
      details,
    },
  );
}

export function dangerOf(error: unknown): RuleDanger | undefined {
  if (!(error instanceof CrawlError) || error.code !== 'RULE_DANGER') return undefined;
  return error.details as RuleDanger | undefined;
}

function deciding(set: RuleSet, url: string): (string | undefined)[] {
  return [set.rewrite(url)?.rule.id, set.decides(url)?.id, set.relevantRule(url)?.id];
}

/** Whether generate accepts the URL, or the URL that a `www` rule makes of it. */
function isTaken(set: RuleSet, url: string): boolean {
  return set.decides(set.rewrite(url)?.url ?? url)?.kind !== 'reject';
}

/** Returns the key ranges of some scopes, without overlaps. Undefined: all rows are in the scopes. */
function rangesOf(scopes: readonly RuleScope[]): KeyRange[] | undefined {
  if (scopes.includes('*')) return undefined;
  const ranges = [...new Set(scopes)]
    .flatMap((scope) => {
      const name = scope.slice(scope.indexOf(':') + 1);
      return scope.startsWith('host:') ? [hostRange(name)] : domainRanges(name);
    })
    .sort((a, b) => (a.start < b.start ? -1 : 1));
  const merged: { start: string; end: string }[] = [];
  for (const { start, end } of ranges) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = end > last.end ? end : last.end;
    else merged.push({ start, end });
  }
  return merged;
}

async function hasOthers({ tables }: Pick<CrawlContext, 'tables'>, ranges: KeyRange[] | undefined): Promise<boolean> {
  if (!ranges) return false;
  const gaps: KeyRange[] = [];
  let start = '';
  for (const range of ranges) {
    gaps.push({ start, end: range.start });
    start = range.end ?? '';
  }
  gaps.push({ start });
  for await (const _row of tables.pages.scan({ fields: ['status'], ranges: gaps })) return true;
  return false;
}
