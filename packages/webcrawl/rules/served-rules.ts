import {
  latestPrefixStatistics,
  readPrefixStatistics,
  reportRules,
  type PrefixNode,
  type PrefixSelection,
} from '../../focus/index.js';
import { rowShare, type ReadBudget } from '../../search/index.js';
import { createSeldom } from '../../util/index.js';
import type { RulesSource, ShownPrefixes } from '../../serve/index.js';
import type { OpenContext } from '../open-context.js';
import { rules } from './rules.js';

/** Maximum number of prefixes to read for one answer. Without a maximum, a selection that matches no prefix would read all prefixes. */
const MAX_READ_PREFIXES = 50_000;

/**
 * Provides the rules of a table to a server. Work that grows with the number of rules is done once for each version of the rules.
 * @param budget reserves memory for data that is read for one client only
 */
export function servedRules(crawl: OpenContext, budget: ReadBudget): RulesSource {
  const { tables } = crawl;
  const report = createSeldom(() => reportRules(crawl));
  const { bytes } = rowShare(crawl.settings);

  async function prefixes(selection: PrefixSelection, most: number): Promise<ShownPrefixes> {
    const statistics = await latestPrefixStatistics(crawl, selection);
    const found: PrefixNode[] = [];
    const limit = { left: MAX_READ_PREFIXES };
    for await (const node of readPrefixStatistics(crawl, selection, limit)) {
      if (found.length === most) return { statistics, prefixes: found, more: true };
      found.push(node);
    }
    return { statistics, prefixes: found, more: limit.left === 0 };
  }

  return {
    async list() {
      const set = await crawl.rules.current();
      const { version, sorted, broken } = set;
      return { version, rules: sorted, contradictions: await set.contradictions(), broken: Object.fromEntries(broken) };
    },
    histories: (ids, signal) => budget.run(bytes, () => tables.rules.histories(ids), signal),
    report: () => report.read(),
    async setState(id, state, yes) {
      await (state === 'active' ? rules.enable(crawl, id, { yes }) : rules.disable(crawl, id, { yes }));
    },
    prefixes: (selection, most, signal) => budget.run(bytes, () => prefixes(selection, most), signal),
    proposals: (signal) => budget.run(bytes, () => rules.proposals(crawl), signal),
    async applyProposal(list, number, signal) {
      const { added } = await rules.applyProposals(crawl, { list, numbers: [number], signal });
      return added.map(({ id }) => id);
    },
  };
}
