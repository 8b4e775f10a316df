import { urlOf } from '../../../webtable/index.js';
import { growingArray } from '../../graph/index.js';
import { compileRules, type CheckedRule, type RuleSet } from '../../rules/index.js';
import { domainOf, hostOf } from '../../url/index.js';
import type { TableGraph } from './read-graph.js';
import { createTriedPages, type TriedPages } from './tried-pages.js';
import { TRAIT, createPauses, type Cuts } from './ways.js';

/** What proposals cut, by their numbers in the list that was given. */
export interface CutPages extends Cuts {
  /** Pages of each domain that the rules of now take and that are not useful. */
  readonly rest: Float64Array;
  /** Pages of each domain that generated rules refuse already. */
  readonly pruned: Float64Array;
  /** Of each proposal the pages that it cuts, and how many of them were fetched. */
  readonly rows: Float64Array;
  readonly fetched: Float64Array;
  /** Of each proposal that would cut a page that is to be kept the first such URL. */
  readonly kept: ReadonlyMap<number, string>;
  readonly tried: TriedPages;
}

/** Sets of proposals that are told apart for each domain. */
const MOST_SETS = 1_000;

/** The registrable domain that a rule is of; undefined of one for all hosts. */
export function domainOfRule({ scope }: Pick<CheckedRule, 'scope'>): string | undefined {
  return scope === '*' ? undefined : domainOf(scope.slice(scope.indexOf(':') + 1));
}

/**
 * Says of each page of a graph which rules cut it, in one pass over the keys; it takes 4 bytes for each. A rule on `www` cuts the pages
 * that are refused under the URL that it gives them. Beside such a rule the others are taken to cut a page under either URL.
 *
 * Of a domain of which the pages are cut by more than {@link MOST_SETS} combinations of rules, the pages of further ones count as cut by
 * all rules of all of these: never less is taken to be cut than is.
 */
export async function findCutPages(
  graph: TableGraph,
  rules: readonly CheckedRule[],
  signal?: AbortSignal,
): Promise<CutPages> {
  const { traits, domains, names } = graph;
  const testsOf = createDomainTests(graph.ruleSet, rules);
  const rest = new Float64Array(names.length);
  const pruned = new Float64Array(names.length);
  const rows = new Float64Array(rules.length);
  const fetched = new Float64Array(rules.length);
  const kept = new Map<number, string>();
  const tried = createTriedPages();
  const ofNode = growingArray((length) => new Uint32Array(length));
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
      if ((trait & (TRAIT.closed | TRAIT.useful)) === 0) rest[domain]! += 1;
      const cuts = (trait & TRAIT.closed) === 0 ? testsOf(names[domain]!) : undefined;
      if (!cuts) {
        ofNode.push(0);
        continue;
      }
      const url = urlOf(key);
      const { cutting, unmarked } = cuts(url, (trait & TRAIT.useful) !== 0);
      const keptFrom = (trait & TRAIT.kept) !== 0 ? [...cutting, ...unmarked] : unmarked;
      for (const each of keptFrom) if (!kept.has(each)) kept.set(each, url);
      for (const each of cutting) {
        rows[each]! += 1;
        if ((trait & TRAIT.fetched) !== 0) fetched[each]! += 1;
        tried.add(each, pathOf(url), (trait & TRAIT.read) !== 0);
      }
      let ofDomain = numbers.get(domain);
      if (!ofDomain) numbers.set(domain, (ofDomain = createDomainSets(sets)));
      ofNode.push(ofDomain(cutting));
    }
  }
  return { ofNode: ofNode.values(), sets, rest, pruned, rows, fetched, kept, tried };
}

/** Gives the number of a set of proposals. */
type DomainSets = (cutting: readonly number[]) => number;

/** @param sets all sets, to which those of the domain are added */
function createDomainSets(sets: number[][]): DomainSets {
  const numbers = new Map<string, number>();
  let others: number | undefined;
  return (cutting) => {
    if (cutting.length === 0) return 0;
    const name = cutting.join(' ');
    let number = numbers.get(name);
    if (number === undefined && numbers.size < MOST_SETS) {
      numbers.set(name, (number = sets.length));
      sets.push([...cutting]);
    }
    if (number !== undefined) return number;
    if (others === undefined) sets[(others = sets.length)] = [];
    sets[others] = [...new Set([...sets[others]!, ...cutting])].sort((a, b) => a - b);
    return others;
  };
}

const pathOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2));

/** What becomes of a page: the proposals that cut it, and those under which it is useful no more. */
type DomainTests = (url: string, isUseful: boolean) => { readonly cutting: number[]; readonly unmarked: number[] };

/** Makes what says of the pages of a domain which rules cut them; undefined of a domain that no rule is of. */
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
    return (url, isUseful) => {
      const cutting = new Set<number>();
      const unmarked: number[] = [];
      const reject = (written: string): void => {
        const host = hostOf(written);
        const path = pathOf(written);
        for (const [proposal, cuts] of rejects) if (cuts(written, host, path)) cutting.add(proposal);
      };
      reject(url);
      for (const [proposal, rewrite] of www) {
        const moved = rewrite(url)?.url;
        if (moved === undefined) continue;
        if (ruleSet.decides(moved)?.kind === 'reject') cutting.add(proposal);
        if (isUseful && !ruleSet.usefulFor(moved)) unmarked.push(proposal);
        reject(moved);
      }
      return { cutting: [...cutting].sort((a, b) => a - b), unmarked };
    };
  };
}

type RuleTest = (url: string, host: string, path: string) => boolean;

/** What a `reject` rule refuses. */
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

/** A rule by itself. */
function compiled(rule: CheckedRule): RuleSet {
  const made = { ...rule, id: 'r1', createdAt: 0, changedAt: 0, state: 'active' } as const;
  return compileRules({ version: '', rules: [made], damaged: [] }, { score: 0, other: 0, explore: 0 });
}

function scopeTest(scope: CheckedRule['scope']): (host: string) => boolean {
  const name = scope.slice(scope.indexOf(':') + 1);
  if (scope === '*') return () => true;
  if (scope.startsWith('host:')) return (host) => host === name;
  return (host) => host === name || host.endsWith(`.${name}`);
}
