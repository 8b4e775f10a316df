import type { RuleReport, RulePoint } from '../../../packages/webcrawl/index.js';
import type { RulesSource, ShownRule } from '../../../packages/serve/index.js';
import { CrawlError } from '../../../packages/errors/index.js';

const DAY = Date.UTC(2026, 2, 12);

/** A rule for a test, with what it has decided. */
export function aRule(change: Partial<ShownRule> = {}): ShownRule {
  return {
    id: 'r1',
    kind: 'reject',
    scope: 'host:www.news.example',
    pattern: { prefix: '/tag/' },
    origin: 'hand',
    createdAt: DAY,
    changedAt: DAY,
    state: 'active',
    counts: { refused: 1_234, fit: 0, links: 56_789 },
    ...change,
  } as ShownRule;
}

/** Rules of all kinds, in the order in which they are asked. */
export const RULES: readonly ShownRule[] = [
  aRule({ note: 'the same articles again' }),
  aRule({
    id: 'r4',
    origin: 'generated',
    scope: 'domain:news.example',
    pattern: { regex: '[?&](sort|filter|page)=' },
    counts: { refused: 310, fit: 0, links: 4_100 },
    evidence: { rows: 4_410, usefulOfDomain: 812, fit: 0, examples: ['http://news.example/list?sort=a&filter=b'] },
  }),
  aRule({ id: 'r2', kind: 'accept', pattern: { prefix: '/tag/editors/' }, counts: { refused: 0, fit: 0, links: 0 } }),
  aRule({
    id: 'r3',
    kind: 'useful',
    scope: '*',
    pattern: { regex: '/20\\d\\d/\\d\\d/' },
    counts: { refused: 0, fit: 812, links: 0 },
  }),
  aRule({
    id: 'r5',
    kind: 'www',
    scope: 'domain:news.example',
    pattern: undefined,
    to: 'without',
    state: 'disabled',
    counts: { refused: 12, fit: 0, links: 0 },
  } as unknown as Partial<ShownRule>),
];

const worth = { rows: 12_400, fetched: 3_200, useful: 900, usefulFetched: 812, usefulCut: 3, usefulWaiting: 85 };

/** A report of these rules. */
export function aReport(change: Partial<RuleReport> = {}): RuleReport {
  return {
    at: DAY,
    seconds: 0.4,
    version: 'v1',
    hasUseful: true,
    all: worth,
    rules: RULES.map(({ counts, ...rule }) => ({
      rule: rule as RuleReport['rules'][number]['rule'],
      counts,
      decides: worth,
      ...(rule.kind === 'accept' && { passed: { ...worth, rows: 41 } }),
      before: { fetched: 1_200, useful: 110 },
      since: { fetched: 2_000, useful: 702 },
      history: historyOf(DAY),
    })),
    domains: [
      { domain: 'news.example', ...worth },
      { domain: 'shop.example', ...worth, fetched: 0, usefulFetched: 0 },
    ],
    stale: 7,
    damaged: 0,
    ...change,
  };
}

const historyOf = (end: number): RulePoint[] =>
  Array.from({ length: 40 }, (_, i) => ({
    at: end - (40 - i) * 3_600_000,
    refused: 30 * i,
    fit: 20 * i,
    links: Math.floor(1_400 * Math.sqrt(i * 40)),
  }));

/** Rules that are changed in memory; `r1` cannot be enabled without `yes`. */
export function fakeRules(given: readonly ShownRule[] = RULES): RulesSource & { readonly calls: unknown[][] } {
  let rules = [...given];
  const calls: unknown[][] = [];
  return {
    calls,
    list: () => Promise.resolve({ version: 'v1', rules, contradictions: [], broken: {} }),
    histories: (ids) => Promise.resolve(new Map(ids.map((id) => [id, historyOf(DAY + 40 * 3_600_000)]))),
    report: () => Promise.resolve(aReport()),
    setState(id, state, yes) {
      if (id === 'r1' && state === 'active' && !yes) {
        const what = 'expected rules that leave the seeds and some page, found that reject /tag/ would cut 2 seeds';
        return Promise.reject(new CrawlError('RULE_DANGER', what));
      }
      calls.push([id, state, yes]);
      rules = rules.map((rule) => (rule.id === id ? { ...rule, state } : rule));
      return Promise.resolve();
    },
  };
}
