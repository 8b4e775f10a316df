import { CrawlError, safeText, type CrawlContext } from '../core/index.js';
import type { Sources } from './collect/sources.js';
import { REL } from './facts/kinds.js';
import type { AuditRule } from './report.js';
import { RULES } from './rules/index.js';

/** Selects findings to ignore. Plain data, as stored in the table. */
export interface IgnoreRule {
  /** The id of a rule, the name of a group of rules, or `*` for all rules. */
  readonly rule: string;
  /** A URL, in which `*` matches any text. */
  readonly url: string;
  /** Only findings all of whose links have this `rel`. Absent: all findings. */
  readonly rel?: keyof typeof REL;
  /** The time at which the entry expires, in ms since the epoch. Absent: never. */
  readonly until?: number;
  readonly why?: string;
  /** When the entry was added, in ms since the epoch. */
  readonly at: number;
}

type Named = Pick<IgnoreRule, 'rule' | 'url' | 'rel'>;

export type Ignoring = Awaited<ReturnType<typeof createIgnoring>>;

/** @param now in ms since the epoch */
export async function createIgnoring(crawl: Pick<CrawlContext, 'tables'>, now: number) {
  const inForce = (await ignoreRules(crawl)).filter(({ until = Infinity }) => until > now);
  const compiled = inForce.map((each) => ({ each, pattern: patternOf(each.url) }));
  const used = new Set<IgnoreRule>();
  let count = 0;
  return {
    /** @param sources the links of the finding; undefined: the finding has no links */
    isIgnored({ id, group }: AuditRule, url: string, sources: Sources | undefined): boolean {
      const hasRel = (rel: IgnoreRule['rel']): boolean =>
        rel === undefined || (sources !== undefined && sources.total > 0 && (sources.rels & REL[rel]) !== 0);
      const found = compiled.find(
        ({ each: { rule, rel }, pattern }) =>
          (rule === '*' || rule === id || rule === group) && hasRel(rel) && pattern.test(url),
      );
      if (!found) return false;
      used.add(found.each);
      count += 1;
      return true;
    },
    get count(): number {
      return count;
    },
    get unused(): readonly string[] {
      return inForce
        .filter((each) => !used.has(each))
        .map(({ rule, url, rel }) => `${rule} ${url}${rel === undefined ? '' : ` rel=${rel}`}`);
    },
  };
}

export async function ignoreRules({ tables }: Pick<CrawlContext, 'tables'>): Promise<readonly IgnoreRule[]> {
  return (await tables.audits.ignored()) as readonly IgnoreRule[];
}

/**
 * Adds an entry for findings to ignore. It replaces an entry with the same rule, URL and `rel`.
 * @throws CrawlError USAGE for an unknown rule or `rel`
 */
export async function ignoreFindings(
  { tables, clock }: Pick<CrawlContext, 'tables' | 'clock'>,
  given: Omit<IgnoreRule, 'at'>,
): Promise<void> {
  const { rule, rel } = given;
  if (rule !== '*' && !RULES.some(({ id, group }) => id === rule || group === rule)) {
    throw new CrawlError('USAGE', `expected a rule of the audit, a group of them or *, found "${safeText(rule, 60)}"`, {
      hint: 'webcrawl audit --rules lists them',
    });
  }
  if (rel !== undefined && !Object.hasOwn(REL, rel)) {
    throw new CrawlError('USAGE', `expected a rel of ${Object.keys(REL).join(', ')}, found "${safeText(rel, 60)}"`);
  }
  await tables.audits.changeIgnored((before) => [
    ...(before as readonly IgnoreRule[]).filter((each) => !isSame(each, given)),
    { ...given, at: clock() },
  ]);
}

/** Removes an entry that {@link ignoreFindings} has added. @returns whether there was such an entry */
export async function tellFindings(
  { tables }: Pick<CrawlContext, 'tables'>,
  rule: string,
  url: string,
  rel?: IgnoreRule['rel'],
): Promise<boolean> {
  const given = { rule, url, ...(rel !== undefined && { rel }) };
  let found = false;
  await tables.audits.changeIgnored((before) => {
    const others = (before as readonly IgnoreRule[]).filter((each) => !isSame(each, given));
    found = others.length < before.length;
    return others;
  });
  return found;
}

const isSame = (one: Named, other: Named): boolean =>
  one.rule === other.rule && one.url === other.url && one.rel === other.rel;

/** Each part between stars is searched as plain text, so that no pattern takes long to match. */
function patternOf(glob: string): { test(url: string): boolean } {
  const parts = glob.split('*');
  return {
    test(url) {
      if (parts.length === 1) return url === glob;
      const [first = '', last = ''] = [parts[0], parts[parts.length - 1]];
      if (!url.startsWith(first) || !url.endsWith(last) || url.length < first.length + last.length) return false;
      let at = first.length;
      const end = url.length - last.length;
      for (const part of parts.slice(1, -1)) {
        const found = url.indexOf(part, at);
        if (found === -1 || found + part.length > end) return false;
        at = found + part.length;
      }
      return true;
    },
  };
}
