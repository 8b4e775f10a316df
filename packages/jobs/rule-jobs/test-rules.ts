import { domainRanges, hostRange, urlOf, type KeyRange, type Rule, type RuleScope } from '../../../webtable/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { compileRules, contradictionsOf, describeRule, type CheckedRule, type RuleSet } from '../../rules/index.js';
import type { CrawlContext } from '../context.js';
import type { JobOptions } from '../reporting/job.js';

/** Two rules that say the opposite of the same URLs. A rule that is not there yet has no id. */
export interface TestedContradiction {
  /** The id of the one that would decide. */
  readonly decides?: string;
  /** The id of the one that never would. */
  readonly idle?: string;
}

/** What a change of rules would cut: the `details` of RULE_DANGER. URLs are untrusted. */
export type RuleDanger = Pick<RuleEffect, 'rows' | 'cut' | 'seeds' | 'seedUrls' | 'cutsAll'>;

/** What rules would do to the rows that are there. URLs are untrusted. */
export interface RuleEffect {
  /** Rows of the hosts and domains that they are of. */
  readonly rows: number;
  /** Of these, rows on which they decide: `reject` and `accept` first of all rules, `useful` that they match, `www` that they rewrite. */
  readonly decides: number;
  /** Rows that the rules of now take, and that would not be fetched any more. */
  readonly cut: number;
  /** Of these, rows that are worth having by the rules of now. */
  readonly cutFit: number;
  /** Rows that the rules of now refuse, and that would be fetched again. */
  readonly letIn: number;
  /** Rows that would be worth having, and are not yet. */
  readonly fit: number;
  /** Of the rows that would be cut, seeds. */
  readonly seeds: number;
  /** Some of these seeds, at most five. */
  readonly seedUrls: readonly string[];
  /** Some of the rows on which they decide, at most five. */
  readonly examples: readonly string[];
  /** No page of the table would be left. */
  readonly cutsAll: boolean;
  /** With rules that are there, or with each other. */
  readonly contradictions: readonly TestedContradiction[];
  /** The read was ended before it was through. */
  readonly interrupted?: true;
}

const SHOWN = 5;
/** Any URLs at all: what matches them all is not meant for some. */
const ANY = ['http://a.example/', 'https://www.b.example/x/y?z=1', 'https://c.example/index.html'];

/** The ids that rules have in the meantime, which no rule of a table has. */
const idOf = (i: number): string => `r${1e15 + i}`;

/** Says what rules would do that are not there yet, or not active. It reads the rows of their hosts and domains, and writes nothing. */
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

/** @param given rules as they would be: new, or in the place of those with their ids */
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
  const before = compileRules(stored, settings.scoring.fit);
  const after = compileRules({ ...stored, rules }, settings.scoring.fit);

  const ranges = rangesOf(made.map(({ scope }) => scope));
  const found = { rows: 0, decides: 0, cut: 0, cutFit: 0, letIn: 0, fit: 0, seeds: 0 };
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
    if (!before.fitOf(url) && after.fitOf(url)) found.fit += 1;
    if (!was && is) found.letIn += 1;
    if (!was || is) continue;
    found.cut += 1;
    if (before.fitOf(url)) found.cutFit += 1;
    if (marks?.inject === undefined) continue;
    found.seeds += 1;
    if (seedUrls.length < SHOWN) seedUrls.push(url);
  }
  const cutsAny = ANY.every((url) => isTaken(before, url) && !isTaken(after, url));
  const cutsRows = found.cut > 0 && found.cut === left && !interrupted && !(await hasOthers(crawl, ranges));
  return {
    ...found,
    seedUrls,
    examples,
    cutsAll: cutsAny || cutsRows,
    contradictions: contradictionsOf(rules)
      .filter(({ decides, idle }) => ids.has(decides) || ids.has(idle))
      .map(({ decides, idle }) => ({
        ...(!isNew(decides) && { decides }),
        ...(!isNew(idle) && { idle }),
      })),
    ...(interrupted && { interrupted }),
  };
}

/**
 * Makes sure that rules cut neither a seed nor every page: `reject` rules that become active, those that an `accept` rule holds off
 * that is disabled, or goes, and those that refuse the URLs which a `www` rule gives.
 * @param given rules as they would be; one that goes as disabled
 * @throws CrawlError RULE_DANGER, whose `details` are a {@link RuleDanger}
 */
export async function mustBeHarmless(
  crawl: Pick<CrawlContext, 'tables' | 'rules' | 'settings' | 'clock'>,
  given: readonly (CheckedRule | Rule)[],
): Promise<void> {
  // A page that a rule on www writes otherwise is fetched under its other URL, which others may refuse.
  const cutting = given.filter(
    ({ kind, state }) => kind === 'www' || kind === (state === 'active' ? 'reject' : 'accept'),
  );
  if (cutting.length === 0) return;
  const { cut, rows, seeds, seedUrls, cutsAll } = await effectOf(crawl, given);
  const details: RuleDanger = { cut, rows, seeds, seedUrls, cutsAll };
  if (!cutsAll && seeds === 0) return;
  const what = cutsAll
    ? `every page (${cut} of ${rows} rows)`
    : `${seeds} ${seeds === 1 ? 'seed' : 'seeds'} (${seedUrls.map((url) => safeText(url, 200)).join(', ')}), and ${cut} of ${rows} rows in all`;
  const [first] = cutting as readonly Rule[];
  const name = cutting.length === 1 ? describeRule(first!) : `${cutting.length} rules`;
  const does = first!.state === 'active' ? `${name} would cut` : `the rules without ${name} would cut`;
  throw new CrawlError('RULE_DANGER', `expected rules that leave the seeds and some page, found that ${does} ${what}`, {
    hint: 'if that is what you want, say so: --yes, or `yes: true`',
    details,
  });
}

/** What a change would cut that was refused for it; undefined of any other error. */
export function dangerOf(error: unknown): RuleDanger | undefined {
  if (!(error instanceof CrawlError) || error.code !== 'RULE_DANGER') return undefined;
  return error.details as RuleDanger | undefined;
}

/** The rules that decide on a URL. */
function deciding(set: RuleSet, url: string): (string | undefined)[] {
  return [set.rewrite(url)?.rule.id, set.decides(url)?.id, set.usefulFor(url)?.id];
}

/** Whether generate takes it, or its other form. */
function isTaken(set: RuleSet, url: string): boolean {
  return set.decides(set.rewrite(url)?.url ?? url)?.kind !== 'reject';
}

/** The rows of some scopes, each once; undefined for all rows. */
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

/** Whether the table has rows beside those of some ranges. */
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
