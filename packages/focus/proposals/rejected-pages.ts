import { urlOf, domainOf, hostOf } from '../../core/index.js';
import { growingArray } from '../../scan/index.js';
import { compileRules, type CheckedRule, type RuleSet } from '../../rules/index.js';
import type { TableGraph } from './read-graph.js';
import { TRAIT, createPauses, type Rejections } from './ways.js';
import { MIN_FETCHED } from '../candidates/thresholds.js';

/** The pages that proposals reject. The number of a proposal is the index of its rule in the given list. */
export interface RejectedPages extends Rejections {
  /** For each domain, the number of pages that the present rules accept and that are not relevant. */
  readonly rest: Float64Array;
  /** For each domain, the number of pages that generated rules refuse already. */
  readonly pruned: Float64Array;
  /** For each proposal, the number of pages that it rejects, and the number of fetched pages among them. */
  readonly rows: Float64Array;
  readonly fetched: Float64Array;
  /** If a proposal would reject a page that must stay, the URL of the first such page, by the number of the proposal. */
  readonly kept: ReadonlyMap<number, string>;
  readonly tried: TriedPages;
}

const MAX_SETS_PER_DOMAIN = 1_000;

/** The registrable domain of a rule. Undefined: the rule is for all hosts. */
export function domainOfRule({ scope }: Pick<CheckedRule, 'scope'>): string | undefined {
  return scope === '*' ? undefined : domainOf(scope.slice(scope.indexOf(':') + 1));
}

/**
 * Finds for each page of a graph the rules that reject it, in one pass over the keys. This takes 4 bytes of memory for each page. A `www`
 * rule gives a page another URL. If a present rule refuses that URL, the `www` rule rejects the page. The other proposals are tested on
 * both URLs of the page.
 *
 * The pages of a domain may be rejected by more than {@link MAX_SETS_PER_DOMAIN} combinations of rules. If so, pages of other
 * combinations count as rejected by all rules of these combinations. So the result may have too many rejected pages, but it has every
 * rejected page.
 */
export async function findRejectedPages(
  graph: TableGraph,
  rules: readonly CheckedRule[],
  signal?: AbortSignal,
): Promise<RejectedPages> {
  const { traits, domains, names } = graph;
  const testsOf = createDomainTests(graph.ruleSet, rules);
  const rest = new Float64Array(names.length);
  const pruned = new Float64Array(names.length);
  const rows = new Float64Array(rules.length);
  const fetched = new Float64Array(rules.length);
  const kept = new Map<number, string>();
  const tried = createTriedPages();
  const ofNode = growingArray(Uint32Array);
  const sets: number[][] = [[]];
  const numbers = new Map<number, DomainSets>();
  const pauses = createPauses(graph, signal);
  let node = 0;
  for await (const group of graph.keys()) {
    for (const key of group) {
      const pause = pauses();
      if (pause) await pause;
      const trait = traits[node]!;
      const domain = domains[node]!;
      node += 1;
      if ((trait & TRAIT.pruned) !== 0) pruned[domain]! += 1;
      if ((trait & (TRAIT.closed | TRAIT.relevant)) === 0) rest[domain]! += 1;
      const rejections = (trait & TRAIT.closed) === 0 ? testsOf(names[domain]!) : undefined;
      if (!rejections) {
        ofNode.push(0);
        continue;
      }
      const url = urlOf(key);
      const { rejecting, unmarked } = rejections(url, (trait & TRAIT.relevant) !== 0);
      const keptFrom = (trait & TRAIT.kept) !== 0 ? [...rejecting, ...unmarked] : unmarked;
      for (const each of keptFrom) if (!kept.has(each)) kept.set(each, url);
      for (const each of rejecting) {
        rows[each]! += 1;
        if ((trait & TRAIT.fetched) !== 0) fetched[each]! += 1;
        tried.add(each, pathOf(url), (trait & TRAIT.read) !== 0);
      }
      let ofDomain = numbers.get(domain);
      if (!ofDomain) numbers.set(domain, (ofDomain = createDomainSets(sets)));
      ofNode.push(ofDomain(rejecting));
    }
  }
  return { ofNode: ofNode.values(), sets, rest, pruned, rows, fetched, kept, tried };
}

/** Returns the number of a set of proposals. A new set is added. */
type DomainSets = (rejecting: readonly number[]) => number;

function createDomainSets(sets: number[][]): DomainSets {
  const numbers = new Map<string, number>();
  let others: number | undefined;
  return (rejecting) => {
    if (rejecting.length === 0) return 0;
    const name = rejecting.join(' ');
    let number = numbers.get(name);
    if (number === undefined && numbers.size < MAX_SETS_PER_DOMAIN) {
      numbers.set(name, (number = sets.length));
      sets.push([...rejecting]);
    }
    if (number !== undefined) return number;
    if (others === undefined) sets[(others = sets.length)] = [];
    sets[others] = [...new Set([...sets[others]!, ...rejecting])].sort((a, b) => a - b);
    return others;
  };
}

const pathOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2));

type DomainTests = (url: string, isRelevant: boolean) => { readonly rejecting: number[]; readonly unmarked: number[] };

function createDomainTests(
  ruleSet: RuleSet,
  rules: readonly CheckedRule[],
): (domain: string) => DomainTests | undefined {
  const byDomain = new Map<
    string | undefined,
    { rejects: [number, RuleTest][]; www: [number, RuleSet['rewrite']][] }
  >();
  for (const [proposal, rule] of rules.entries()) {
    const domain = domainOfRule(rule);
    let ofDomain = byDomain.get(domain);
    if (!ofDomain) byDomain.set(domain, (ofDomain = { rejects: [], www: [] }));
    if (rule.kind === 'www') ofDomain.www.push([proposal, compiled(rule).rewrite]);
    else if (rule.kind === 'reject') ofDomain.rejects.push([proposal, ruleTest(rule)]);
  }
  return (domain) => {
    const ofDomain = byDomain.get(domain);
    if (!ofDomain) return undefined;
    const { rejects, www } = ofDomain;
    return (url, isRelevant) => {
      const rejecting = new Set<number>();
      const unmarked: number[] = [];
      const reject = (written: string): void => {
        const host = hostOf(written);
        const path = pathOf(written);
        for (const [proposal, rejections] of rejects) if (rejections(written, host, path)) rejecting.add(proposal);
      };
      reject(url);
      for (const [proposal, rewrite] of www) {
        const moved = rewrite(url)?.url;
        if (moved === undefined) continue;
        if (ruleSet.decides(moved)?.kind === 'reject') rejecting.add(proposal);
        if (isRelevant && !ruleSet.relevantRule(moved)) unmarked.push(proposal);
        reject(moved);
      }
      return { rejecting: [...rejecting].sort((a, b) => a - b), unmarked };
    };
  };
}

type RuleTest = (url: string, host: string, path: string) => boolean;

function ruleTest(rule: Exclude<CheckedRule, { readonly kind: 'www' }>): RuleTest {
  const { pattern } = rule;
  if ('prefix' in pattern) {
    const isOf = scopeTest(rule.scope);
    const { prefix } = pattern;
    return prefix.startsWith('/')
      ? (_url, host, path) => path.startsWith(prefix) && isOf(host)
      : (url, host) => url.startsWith(prefix) && isOf(host);
  }
  const { decides } = compiled(rule);
  return (url) => decides(url) !== undefined;
}

function compiled(rule: CheckedRule): RuleSet {
  const made = { ...rule, id: 'r1', createdAt: 0, changedAt: 0, state: 'active' } as const;
  return compileRules({ version: '', rules: [made], damaged: [] }, { score: 0, other: 0 });
}

function scopeTest(scope: CheckedRule['scope']): (host: string) => boolean {
  const name = scope.slice(scope.indexOf(':') + 1);
  if (scope === '*') return () => true;
  if (scope.startsWith('host:')) return (host) => host === name;
  return (host) => host === name || host.endsWith(`.${name}`);
}

/** URLs of other forms are counted together. */
const MAX_FORMS_PER_PROPOSAL = 500;
const OTHERS = '';

type TriedPages = ReturnType<typeof createTriedPages>;

/**
 * Counts the pages that a proposal rejects, and those with known links, for each form of URL. The links of a page are known if the page was
 * parsed, or redirects. Pages with URLs of one form are mostly of the same kind. For example, the days of an archive list articles, but its
 * years and months do not. So it is not enough to read the years and months. Memory is bounded by {@link MAX_FORMS_PER_PROPOSAL} for each
 * proposal.
 */
export function createTriedPages() {
  const forms = new Map<number, Map<string, { rows: number; read: number }>>();
  return {
    /**
     * Adds a page that a proposal rejects.
     * @param path path and query
     * @param isRead whether the links of the page are known
     */
    add(proposal: number, path: string, isRead: boolean): void {
      let ofProposal = forms.get(proposal);
      if (!ofProposal) forms.set(proposal, (ofProposal = new Map<string, { rows: number; read: number }>()));
      for (const form of formsOf(path)) {
        const name = ofProposal.has(form) || ofProposal.size < MAX_FORMS_PER_PROPOSAL ? form : OTHERS;
        const counts = ofProposal.get(name) ?? { rows: 0, read: 0 };
        ofProposal.set(name, counts);
        counts.rows += 1;
        if (isRead) counts.read += 1;
      }
    },
    /** Whether enough pages were read for each form of URL, or all pages of the form. */
    isTried: (proposal: number): boolean =>
      [...(forms.get(proposal)?.values() ?? [])].every(({ rows, read }) => read >= Math.min(rows, MIN_FETCHED)),
  };
}

/**
 * Returns the forms of a URL. A form shows where the path has words and numbers. A URL with a query has one form for each parameter, with
 * the name of the parameter at the end: `/w/#/w#?page`. Parameters are not combined, because filters occur in very many combinations.
 * @param path path and query
 */
export function formsOf(path: string): string[] {
  const mark = path.indexOf('?');
  const form = (mark < 0 ? path : path.slice(0, mark)).split('/').map(formOfSegment).join('/');
  if (mark < 0) return [form];
  const names = path
    .slice(mark + 1)
    .split('&')
    .map((part) => part.split('=', 1)[0]!);
  return [...new Set(names)].map((name) => `${form}?${name}`);
}

function formOfSegment(segment: string): string {
  if (segment === '') return '';
  if (/^\d+$/.test(segment)) return '#';
  return /\d/.test(segment) ? 'w#' : 'w';
}
