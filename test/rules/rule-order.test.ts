import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSinceRules } from '../../packages/focus/report/since-rules.js';
import { compileRules, compileRulesInSlices } from '../../packages/rules/index.js';
import { sortRules } from '../../packages/rules/rule-order.js';
import { atOnce, sortSteps } from '../../packages/util/index.js';
import { numberOfRule, type Rule } from '../../webtable/index.js';

/** The order of decision, for two rules. */
function compareRules(a: Rule, b: Rule): number {
  const breadth = ({ scope }: Rule): number => (scope === '*' ? 2 : Number(scope.startsWith('domain:')));
  const labels = ({ scope }: Rule): number => (scope.startsWith('domain:') ? scope.split('.').length : 0);
  return (
    breadth(a) - breadth(b) ||
    labels(b) - labels(a) ||
    Number(a.origin === 'generated') - Number(b.origin === 'generated') ||
    Number(a.kind !== 'accept') - Number(b.kind !== 'accept') ||
    numberOfRule(a.id) - numberOfRule(b.id)
  );
}

const RELEVANT = { score: 10, other: 0 };

describe('sorting in steps', () => {
  test('sorts anything like the native sort, with equal items in their order', () => {
    const item = fc.record({ key: fc.nat(50), at: fc.nat() });
    const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
    fc.assert(
      fc.property(fc.array(item, { maxLength: 300 }), fc.integer({ min: 1, max: 100 }), (items, times) => {
        const many = Array.from({ length: times }, () => items).flat();
        expect(atOnce(sortSteps(many, compare))).toEqual([...many].sort(compare));
      }),
      { numRuns: 30 },
    );
  });

  test('sorts rules as a comparison of two of them does', () => {
    const name = fc
      .array(fc.constantFrom('a', 'b', 'www'), { minLength: 1, maxLength: 5 })
      .map((labels) => labels.join('.'));
    const scope = fc.oneof(
      fc.constant('*'),
      name.map((host) => `host:${host}`),
      name.map((domain) => `domain:${domain}`),
    );
    const rule = fc.record({
      id: fc.nat(1e6).map((n) => `r${n}`),
      kind: fc.constantFrom('accept', 'reject', 'relevant', 'www'),
      scope,
      origin: fc.constantFrom('hand', 'generated'),
    });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 200 }), (rules) => {
        const given = rules as unknown as Rule[];
        expect(atOnce(sortRules(given))).toEqual([...given].sort(compareRules));
      }),
    );
  });
});

describe('the work for each rule does not grow with their number', () => {
  /** Rules that count how often their scope is read. */
  function counted(count: number, made: (i: number) => object) {
    let reads = 0;
    const rules = Array.from({ length: count }, (_, i) => {
      const { scope, ...rest } = made(i) as { scope: string };
      return Object.defineProperty({ id: `r${i}`, state: 'active', createdAt: 0, changedAt: i, ...rest }, 'scope', {
        enumerable: true,
        get() {
          reads += 1;
          return scope;
        },
      }) as unknown as Rule;
    });
    return { rules, readsOfEach: () => reads / count };
  }
  const kinds: readonly (readonly [string, (i: number) => object])[] = [
    ['www', (i) => ({ kind: 'www', scope: `domain:d${i}.example`, to: 'with', origin: 'hand' })],
    [
      'of many hosts',
      (i) => ({ kind: 'reject', scope: `host:h${i}.example`, pattern: { prefix: '/' }, origin: 'hand' }),
    ],
    [
      'generated, of one scope with useful ones',
      (i) => ({ kind: i % 2 ? 'reject' : 'relevant', scope: '*', pattern: { prefix: `/${i}` }, origin: 'generated' }),
    ],
  ];

  test.each(kinds)('when rules are compiled: %s', (_, made) => {
    const { rules, readsOfEach } = counted(5000, made);
    compileRules({ version: 'v', rules, damaged: [] }, RELEVANT);
    expect(readsOfEach()).toBeLessThan(20);
  });

  test.each(kinds)('when the pages of rules are counted: %s', (_, made) => {
    const { rules, readsOfEach } = counted(5000, made);
    const since = atOnce(createSinceRules(rules));
    since.add('h1.example', 3, true);
    for (const rule of rules) since.of(rule);
    expect(readsOfEach()).toBeLessThan(5);
  });
});

test('other work gets turns while very many rules are compiled', async () => {
  const rules = Array.from({ length: 20_000 }, (_, i) => ({
    ...{ id: `r${i}`, kind: 'reject', scope: '*', pattern: { prefix: `/${(i * 7919) % 20_011}/` } },
    ...{ origin: 'hand', state: 'active', createdAt: 0, changedAt: 0 },
  })) as unknown as Rule[];
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  const set = await compileRulesInSlices({ version: 'v', rules, damaged: [] }, RELEVANT);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(1);
  expect(set.decides('http://a.example/5/x')?.pattern).toEqual({ prefix: '/5/' });
});
