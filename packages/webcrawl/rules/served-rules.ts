import { latestPrefixStatistics, readPrefixStatistics, type PrefixNode } from '../../focus/index.js';
import { compareRules, contradictionsOf, type RuleSet } from '../../rules/index.js';
import { createSeldom } from '../../jobs/index.js';
import type { RulesSource } from '../../serve/index.js';
import type { Rule } from '../../../webtable/index.js';
import type { Crawl } from '../open-crawl.js';
import { rules } from './rules.js';

/** Prefixes that are read for one answer: what is asked for may leave out all of them. */
const MOST_READ = 50_000;

/** The rules of a table for a server. What costs the more the more rules there are is done once for each version of them. */
export function servedRules(crawl: Crawl): RulesSource {
  const { tables } = crawl;
  const report = createSeldom(() => rules.report(crawl));
  let last: ReturnType<typeof ordered> | undefined;

  return {
    async list() {
      const set = await crawl.rules.current();
      if (last?.set !== set) last = ordered(set);
      return {
        version: set.version,
        rules: last.sorted,
        contradictions: last.contradictions,
        broken: Object.fromEntries(set.broken),
      };
    },
    counts: (ids) => tables.rules.countsOf(ids),
    histories: (ids) => tables.rules.histories(ids),
    report: () => report.read(),
    async setState(id, state, yes) {
      await (state === 'active' ? rules.enable(crawl, id, { yes }) : rules.disable(crawl, id, { yes }));
    },
    async prefixes(selection, most) {
      const statistics = await latestPrefixStatistics(crawl, selection);
      const prefixes: PrefixNode[] = [];
      const limit = { left: MOST_READ };
      for await (const node of readPrefixStatistics(crawl, selection, limit)) {
        if (prefixes.length === most) return { statistics, prefixes, more: true };
        prefixes.push(node);
      }
      return { statistics, prefixes, more: limit.left === 0 };
    },
    proposals: () => rules.proposals(crawl),
    async applyProposal(list, number, signal) {
      const { added } = await rules.applyProposals(crawl, { list, numbers: [number], signal });
      return added.map(({ id }) => id);
    },
  };
}

function ordered(set: RuleSet) {
  const sorted: readonly Rule[] = [...set.stored.rules].sort(compareRules);
  return { set, sorted, contradictions: contradictionsOf(sorted) };
}
