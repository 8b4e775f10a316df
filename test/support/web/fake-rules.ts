import type { PrefixNode } from '../../../packages/focus/index.js';
import type { RuleCounts, RuleReport, RulePoint, StoredProposals } from '../../../packages/webcrawl/internal.js';
import type { RulesSource, ShownRule } from '../../../packages/serve/index.js';
import { CrawlError } from '../../../packages/errors/index.js';

const DAY = Date.UTC(2026, 2, 12);

/** Forty counts, an hour apart; the last one is given. */
function historyTo({ refused, relevant, links }: RuleCounts): RulePoint[] {
  return Array.from({ length: 40 }, (_, i) => ({
    at: DAY + i * 3_600_000,
    refused: Math.floor((refused * i) / 39),
    relevant: Math.floor((relevant * i) / 39),
    links: Math.floor((links * i) / 39),
  }));
}

/** A rule for a test, with its decisions so far. */
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
    history: historyTo({ refused: 1_234, relevant: 0, links: 56_789 }),
    ...change,
  } as ShownRule;
}

/** Rules of all kinds, in order of evaluation. */
export const RULES: readonly ShownRule[] = [
  aRule({ note: 'the same articles again' }),
  aRule({
    id: 'r4',
    origin: 'generated',
    scope: 'domain:news.example',
    pattern: { regex: '[?&](sort|filter|page)=' },
    history: historyTo({ refused: 310, relevant: 0, links: 4_100 }),
    evidence: { rows: 4_410, relevantOfDomain: 812, fit: 0, examples: ['http://news.example/list?sort=a&filter=b'] },
  }),
  aRule({
    id: 'r2',
    kind: 'accept',
    pattern: { prefix: '/tag/editors/' },
    history: historyTo({ refused: 0, relevant: 0, links: 0 }),
  }),
  aRule({
    id: 'r3',
    kind: 'relevant',
    scope: '*',
    pattern: { regex: '/20\\d\\d/\\d\\d/' },
    history: historyTo({ refused: 0, relevant: 812, links: 0 }),
  }),
  aRule({
    id: 'r5',
    kind: 'www',
    scope: 'domain:news.example',
    pattern: undefined,
    to: 'without',
    state: 'disabled',
    history: historyTo({ refused: 12, relevant: 0, links: 0 }),
  } as unknown as Partial<ShownRule>),
];

const worth = {
  rows: 12_400,
  fetched: 3_200,
  relevant: 900,
  relevantFetched: 812,
  relevantRejected: 3,
  relevantWaiting: 85,
};

/** A report of these rules. */
export function aReport(change: Partial<RuleReport> = {}): RuleReport {
  return {
    at: DAY,
    seconds: 0.4,
    version: 'v1',
    hasRelevant: true,
    all: worth,
    rules: RULES.map(({ history, ...rule }) => ({
      rule: rule,
      counts: history.at(-1)!,
      decides: worth,
      ...(rule.kind === 'accept' && { passed: { ...worth, rows: 41 } }),
      before: { fetched: 1_200, relevant: 110 },
      since: { fetched: 2_000, relevant: 702 },
    })),
    domains: [
      { domain: 'news.example', ...worth },
      { domain: 'shop.example', ...worth, fetched: 0, relevantFetched: 0 },
    ],
    stale: 7,
    damaged: 0,
    ...change,
  };
}

const figuresOf = (rows: number, relevant: number) => ({
  rows,
  relevant,
  duplicates: Math.floor(rows / 20),
  errors: Math.floor(rows / 50),
  statuses: { fetched: Math.floor(rows / 4), unfetched: rows - Math.floor(rows / 4) },
  bytes: rows * 7_000,
  fetchMs: rows * 120,
});
const where = { host: 'www.news.example', origin: 'https://www.news.example', domain: 'news.example' };

/** A tree of prefixes. */
export const PREFIXES: readonly PrefixNode[] = [
  { ...where, prefix: '/', ...figuresOf(12_400, 900) },
  { ...where, prefix: '/2026/', ...figuresOf(900, 880) },
  { ...where, prefix: '/list?', ...figuresOf(4_410, 0) },
  { ...where, prefix: '/list?', parameter: 'sort', ...figuresOf(4_000, 0) },
  { ...where, prefix: '/tag/', ...figuresOf(6_000, 0) },
  { ...where, prefix: '/tag/politics/', ...figuresOf(800, 0) },
];

/** Proposed rules. */
export const PROPOSALS: StoredProposals = {
  id: 'list-1',
  createdAt: DAY,
  rulesVersion: 'v1',
  proposals: [
    {
      number: 1,
      rule: { kind: 'reject', scope: 'host:www.news.example', pattern: { prefix: '/forum/' } },
      reason: 'useless_prefix',
      evidence: { rows: 2_310, fit: 0, domainFit: 812, examples: ['https://www.news.example/forum/1?page=2'] },
      rows: 2_310,
      fetched: 402,
      domain: 'news.example',
    },
    {
      number: 2,
      rule: { kind: 'www', scope: 'domain:news.example', to: 'with' },
      reason: 'www',
      evidence: { pairs: 44, alike: 44 },
      rows: 120,
      fetched: 44,
      domain: 'news.example',
    },
  ],
};

/** Rules that are changed in memory. `r1` cannot be enabled without `yes`. */
export function fakeRules(given: readonly ShownRule[] = RULES): RulesSource & { readonly calls: unknown[][] } {
  let rules = [...given];
  const calls: unknown[][] = [];
  return {
    calls,
    list: () => Promise.resolve({ version: 'v1', rules, contradictions: [], broken: {} }),
    histories: (ids) =>
      Promise.resolve(new Map(rules.filter(({ id }) => ids.includes(id)).map(({ id, history }) => [id, history]))),
    report: () => Promise.resolve(aReport()),
    prefixes: ({ domain }, most) =>
      Promise.resolve(
        domain === 'none.example'
          ? { statistics: undefined, prefixes: [], more: false }
          : {
              statistics: {
                madeAt: DAY,
                rulesVersion: 'v1',
                min: 10,
                depth: 16,
                total: figuresOf(12_400, 900),
                origins: 1,
                parametersOverLimit: 0,
              },
              prefixes: PREFIXES.slice(0, most),
              more: PREFIXES.length > most,
            },
      ),
    proposals: () => Promise.resolve(PROPOSALS),
    applyProposal(list, number) {
      calls.push(['apply', list, number]);
      return number === 1
        ? Promise.resolve(['r6'])
        : Promise.reject(new CrawlError('STALE_PROPOSAL', `proposal ${number} no longer holds: it cuts a seed`));
    },
    setState(id, state, yes) {
      if (id === 'r1' && state === 'active' && !yes) {
        const seedUrls = ['http://a.example/tag/1', 'http://a.example/tag/2'];
        const details = { rows: 12, rejected: 5, seeds: 2, seedUrls, rejectsAll: false };
        return Promise.reject(new CrawlError('RULE_DANGER', 'whatever', { details }));
      }
      calls.push([id, state, yes]);
      rules = rules.map((rule) => (rule.id === id ? { ...rule, state } : rule));
      return Promise.resolve();
    },
  };
}
