import { urlOf } from '../../../webtable/index.js';
import { growingArray } from '../../graph/index.js';
import { compileRules, type CheckedRule } from '../../rules/index.js';
import { domainOf, hostOf } from '../../url/index.js';
import type { TableGraph } from './read-graph.js';
import { createTriedPages, type TriedPages } from './tried-pages.js';
import { TRAIT, type Cuts } from './ways.js';

/** What proposals cut, by their numbers in the list that was given. */
export interface CutPages extends Cuts {
  /** Pages of each domain that the rules of now take and that are not useful. */
  readonly rest: Float64Array;
  /** Of each proposal that would cut a page that is to be kept the first such URL. */
  readonly kept: ReadonlyMap<number, string>;
  readonly tried: TriedPages;
}

/** The registrable domain that a rule is of; undefined of one for all hosts. */
export function domainOfRule({ scope }: Pick<CheckedRule, 'scope'>): string | undefined {
  return scope === '*' ? undefined : domainOf(scope.slice(scope.indexOf(':') + 1));
}

/** Says of each page of a graph which rules cut it, in one pass over the keys; it takes 4 bytes for each. */
export async function findCutPages(graph: TableGraph, rules: readonly CheckedRule[]): Promise<CutPages> {
  const { traits, domains, names } = graph;
  const byDomain = new Map<string | undefined, { readonly proposal: number; readonly cuts: RuleTest }[]>();
  for (const [proposal, rule] of rules.entries()) {
    const test = ruleTest(rule);
    if (!test) continue;
    const domain = domainOfRule(rule);
    const list = byDomain.get(domain);
    if (list) list.push({ proposal, cuts: test });
    else byDomain.set(domain, [{ proposal, cuts: test }]);
  }
  const rest = new Float64Array(names.length);
  const kept = new Map<number, string>();
  const tried = createTriedPages();
  const ofNode = growingArray((length) => new Uint32Array(length));
  const sets: (readonly number[])[] = [[]];
  const numbers = new Map<string, number>([['', 0]]);
  let node = 0;
  for await (const group of graph.keys()) {
    for (const key of group) {
      const trait = traits[node]!;
      const domain = domains[node]!;
      node += 1;
      const asked = (trait & TRAIT.closed) === 0 ? byDomain.get(names[domain]) : undefined;
      if ((trait & (TRAIT.closed | TRAIT.useful)) === 0) rest[domain]! += 1;
      if (!asked) {
        ofNode.push(0);
        continue;
      }
      const url = urlOf(key);
      const host = hostOf(url);
      const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
      const cutting = asked.filter(({ cuts }) => cuts(url, host, path)).map(({ proposal }) => proposal);
      if ((trait & TRAIT.kept) !== 0) for (const each of cutting) if (!kept.has(each)) kept.set(each, url);
      for (const each of cutting) tried.add(each, path, (trait & TRAIT.fetched) !== 0);
      const name = cutting.join(' ');
      let set = numbers.get(name);
      if (set === undefined) {
        numbers.set(name, (set = sets.length));
        sets.push(cutting);
      }
      ofNode.push(set);
    }
  }
  return { ofNode: ofNode.values(), sets, rest, kept, tried };
}

type RuleTest = (url: string, host: string, path: string) => boolean;

/** What a `reject` rule refuses; undefined of others, which cut nothing. */
function ruleTest(rule: CheckedRule): RuleTest | undefined {
  if (rule.kind !== 'reject') return undefined;
  const isOf = scopeTest(rule.scope);
  const { pattern } = rule;
  if ('prefix' in pattern) {
    const { prefix } = pattern;
    return prefix.startsWith('/')
      ? (_url, host, path) => path.startsWith(prefix) && isOf(host)
      : (url, host) => url.startsWith(prefix) && isOf(host);
  }
  const made = { ...rule, id: 'r1', createdAt: 0, changedAt: 0, state: 'active' } as const;
  const { decides } = compileRules({ version: '', rules: [made], damaged: [] }, { score: 0, other: 0 });
  return (url) => decides(url) !== undefined;
}

function scopeTest(scope: CheckedRule['scope']): (host: string) => boolean {
  const name = scope.slice(scope.indexOf(':') + 1);
  if (scope === '*') return () => true;
  if (scope.startsWith('host:')) return (host) => host === name;
  return (host) => host === name || host.endsWith(`.${name}`);
}
