import { describe, expect, test } from 'vitest';
import { checkRule, compileRules, type NewRule } from '../../packages/rules/index.js';
import type { Rule, UrlRule } from '../../webtable/index.js';
import { hostOf } from '../../packages/url/index.js';
import { randomNumbers } from '../support/web/fake-web.js';

const RELEVANT = { score: 10, other: 0 };
const rule = (id: string, given: NewRule, more: Partial<Rule> = {}): Rule =>
  ({ ...checkRule(given), id, createdAt: 0, changedAt: 0, ...more }) as Rule;
const compile = (...rules: Rule[]) => compileRules({ version: 'v', rules, damaged: [] }, RELEVANT);

/** The order and the matching of rules, from their description and not from their code. */
function naive(rules: readonly Rule[], url: string, kinds: readonly string[]): string | undefined {
  const host = hostOf(url);
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  const isOf = ({ scope }: Rule): boolean => {
    const name = scope.slice(scope.indexOf(':') + 1);
    if (scope === '*') return true;
    return scope.startsWith('host:') ? host === name : host === name || host.endsWith(`.${name}`);
  };
  const matches = ({ pattern }: UrlRule): boolean => {
    if ('regex' in pattern) return new RegExp(pattern.regex).test(url);
    return (pattern.prefix.startsWith('/') ? path : url).startsWith(pattern.prefix);
  };
  const place = ({ scope, origin, kind, id }: Rule): number[] => {
    const breadth = scope.startsWith('host:') ? 0 : scope === '*' ? 2 : 1;
    const width = breadth === 1 ? -scope.split('.').length : 0;
    return [breadth, width, origin === 'hand' ? 0 : 1, kind === 'accept' ? 0 : 1, Number(id.slice(1))];
  };
  const before = (a: number[], b: number[]): number => {
    const i = a.findIndex((n, at) => n !== b[at]);
    return i < 0 ? 0 : a[i]! - b[i]!;
  };
  const matching = rules.filter(
    (each): each is UrlRule => each.state === 'active' && isOf(each) && matches(each as UrlRule),
  );
  const isUseful = matching.some(({ kind }) => kind === 'relevant');
  return matching
    .filter(({ kind, origin }) => kinds.includes(kind) && !(kind === 'reject' && origin === 'generated' && isUseful))
    .sort((a, b) => before(place(a), place(b)))[0]?.id;
}

describe('a set of rules', () => {
  test.each(Array.from({ length: 40 }, (_, i) => i + 1))(
    'decides like a simple evaluation of its rules, seed %i',
    (seed) => {
      const random = randomNumbers(seed);
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
      const hosts = [
        'a.example',
        'www.a.example',
        'b.a.example',
        'c.b.a.example',
        'b.example',
        'ba.example',
        '10.0.0.1',
      ];
      const segments = ['tag', 'a', 'ab', 'x?y=1', '2020', ''];
      const path = (): string => `/${Array.from({ length: Math.floor(random() * 4) }, () => pick(segments)).join('/')}`;
      const rules = Array.from({ length: Math.floor(random() * 60) }, (_, i): Rule => {
        const scope = pick([
          '*',
          `host:${pick(hosts)}`,
          `domain:${pick(['a.example', 'b.a.example', 'example'])}`,
        ] as const);
        const prefix = random() < 0.8 ? path() : `http://${pick(hosts)}${path()}`;
        const pattern = random() < 0.7 ? { prefix } : { regex: pick(['/tag/', '\\d\\d', 'b', '/$', '^http://[ab]']) };
        const kind = pick(['accept', 'reject', 'relevant'] as const);
        const more = {
          state: pick(['active', 'active', 'disabled'] as const),
          origin: pick(['hand', 'generated'] as const),
        };
        return rule(`r${i + 1}`, { kind, scope, pattern }, more);
      });
      const set = compile(...rules.toSorted(() => random() - 0.5));
      for (let i = 0; i < 300; i++) {
        const url = `http://${pick(hosts)}${path()}`;
        expect(set.decides(url)?.id, url).toBe(naive(rules, url, ['accept', 'reject']));
        expect(set.relevantRule(url)?.id, url).toBe(naive(rules, url, ['relevant']));
      }
    },
  );

  test('takes no longer with thousands of hosts, or with thousands of prefixes of one', () => {
    const all = Array.from({ length: 20_000 }, (_, i) =>
      rule(`r${i + 1}`, {
        kind: 'reject',
        ...(i % 2 ? { scope: `host:h${i}.example` } : { scope: 'host:one.example' }),
        pattern: { prefix: `/p${i}/` },
      }),
    );
    let tests = 0;
    const set = compile(...all);
    for (let i = 0; i < 20_000; i++) if (set.decides(`http://one.example/p${i}/x`)) tests += 1;
    expect(tests).toBe(10_000);
    expect(set.decides('http://h19999.example/p19999/')?.id).toBe('r20000');
    expect(set.decides('http://h19999.example/p1/')).toBeUndefined();
  });

  test('without active rules returns the same list of plugins', () => {
    const plugins = [{ name: 'x', version: '1' }];
    const disabled = rule('r1', { kind: 'reject', pattern: { prefix: '/' } }, { state: 'disabled' });
    expect(compile().addTo(plugins)).toBe(plugins);
    expect(compile(disabled).addTo(plugins)).toBe(plugins);
    expect(compile(disabled).plugin).toBeUndefined();
    const set = compile(rule('r2', { kind: 'relevant', pattern: { prefix: '/' } }));
    expect(set.addTo(plugins)).toBe(set.addTo(plugins));
    expect(set.addTo(plugins).slice(0, 1)).toEqual(plugins);
    // Rules of kind relevant add nothing to the URL chain.
    expect(set.plugin?.filterUrl).toBeUndefined();
  });

  test('rewrites hosts to the form with or without www, and of two contradictory rules uses the first', () => {
    const without = rule('r1', { kind: 'www', scope: 'domain:www.a.example', to: 'without' });
    expect(without.scope).toBe('domain:a.example');
    const set = compile(without, rule('r2', { kind: 'www', scope: 'domain:a.example', to: 'with' }));
    expect(set.rewrite('https://www.a.example:8443/x?y')).toEqual({ url: 'https://a.example:8443/x?y', rule: without });
    expect(set.rewrite('http://a.example/')).toBeUndefined();
    expect(set.rewrite('http://b.a.example/')).toBeUndefined();
    expect(set.plugin?.filterUrl?.('http://www.a.example/', 'generate')).toBe('r1');
    expect(set.plugin?.filterUrl?.('http://www.a.example/', 'outlink')).toBe(true);
  });

  test('checks an exemption before the rule that it exempts from, whichever is older', () => {
    const scope = 'host:a.example';
    const set = compile(
      rule('r1', { kind: 'reject', scope, pattern: { prefix: '/tag/' } }),
      rule('r2', { kind: 'accept', scope, pattern: { prefix: '/tag/news/' } }),
      rule('r3', { kind: 'accept', pattern: { prefix: '/tag/wide/' } }),
    );
    expect(set.active.map(({ id }) => id)).toEqual(['r2', 'r1', 'r3']);
    expect(set.decides('http://a.example/tag/news/1')?.id).toBe('r2');
    expect(set.decides('http://a.example/tag/wide/1')?.id).toBe('r1');
  });

  test('never rejects a relevant page by a generated rule, and checks it again when that has changed', () => {
    const useful = rule('r2', { kind: 'relevant', pattern: { prefix: '/tag/news/' } });
    const generated = rule('r1', { kind: 'reject', pattern: { prefix: '/tag/' } }, { origin: 'generated' });
    const set = compile(generated, useful);
    expect(set.decides('http://a.example/tag/1')?.id).toBe('r1');
    expect(set.decides('http://a.example/tag/news/1')).toBeUndefined();
    // Another rule may still reject it.
    const byHand = rule('r3', { kind: 'reject', pattern: { regex: 'news' } });
    expect(compile(generated, useful, byHand).decides('http://a.example/tag/news/1')?.id).toBe('r3');
    const versions = [compile(generated), set, compile(generated, useful, { ...useful, id: 'r4' })];
    expect(new Set(versions.map(({ plugin }) => plugin?.ruleVersions?.get('r1'))).size).toBe(3);
  });

  test('keeps the version of a rule while no accept rule that precedes it changes', () => {
    const base = [
      rule('r1', { kind: 'reject', scope: 'host:a.example', pattern: { prefix: '/x' } }),
      rule('r2', { kind: 'reject', pattern: { prefix: '/y' } }),
      rule('r3', { kind: 'reject', scope: 'domain:b.example', pattern: { prefix: '/z' } }),
    ];
    const versions = (...more: Rule[]) => Object.fromEntries(compile(...base, ...more).plugin?.ruleVersions ?? []);
    const before = versions();
    const reject = rule('r9', { kind: 'reject', scope: 'host:a.example', pattern: { prefix: '/w' } });
    expect(versions(reject)).toMatchObject(before);
    const useful = rule('r9', { kind: 'relevant', pattern: { prefix: '/w' } });
    expect(versions(useful)).toEqual(before);
    // A rule for as many hosts precedes it, however new it is.
    const ofAll = versions(rule('r9', { kind: 'accept', pattern: { prefix: '/y/1' } }));
    expect(ofAll).toEqual({ ...before, r2: expect.not.stringMatching(`^${before['r2']}$`) as string });
    const generated = rule('r9', { kind: 'accept', pattern: { prefix: '/y/1' } }, { origin: 'generated' });
    expect(versions(generated)).toEqual(before);
    const ofHost = versions(rule('r9', { kind: 'accept', scope: 'host:c.b.example', pattern: { prefix: '/y/1' } }));
    expect(ofHost).toMatchObject({ r1: before['r1'] });
    expect(ofHost['r2']).not.toBe(before['r2']);
    expect(ofHost['r3']).not.toBe(before['r3']);
  });
});

describe('an invalid rule', () => {
  test.each([
    [{ kind: 'reject', pattern: { regex: 'ab(c' } }, 'Unterminated group) at character 3'],
    [{ kind: 'reject', pattern: { regex: '(?i)a[b' } }, 'at character 6'],
    [{ kind: 'reject', pattern: { regex: 'a)b' } }, 'at character 2'],
    [{ kind: 'reject', pattern: { regex: 'a**' } }, 'at character 3'],
    [{ kind: 'reject', pattern: { regex: 'x(a+)\\1' } }, 'may run for long at character 6'],
    [{ kind: 'reject', pattern: { regex: 'x\\Qy' } }, 'the escape \\Q is not known at character 2'],
    [{ kind: 'reject', pattern: { prefix: 'tag/' } }, 'a prefix that begins with /, http:// or https://'],
    [{ kind: 'reject', pattern: { prefix: 'http://a.example/#x' } }, '(character 18)'],
    [{ kind: 'reject', pattern: {} }, 'either prefix or regex'],
    [{ kind: 'reject', scope: 'host:a.example/x', pattern: { prefix: '/' } }, 'the name of a host'],
    [{ kind: 'reject', scope: 'a.example', pattern: { prefix: '/' } }, 'host:<name>'],
    [{ kind: 'delete', pattern: { prefix: '/' } }, 'relevant, accept, reject or www'],
    [{ kind: 'www', scope: '*', to: 'with' }, 'a domain'],
    [{ kind: 'www', scope: 'domain:a.example', to: 'off' }, '"with" or "without"'],
    [[], 'a rule as an object'],
  ])('%j is rejected: %s', (given, expected) => {
    expect(() => checkRule(given)).toThrow(expect.objectContaining({ code: 'BAD_RULE' }));
    expect(() => checkRule(given)).toThrow(expected);
  });

  test('hosts and prefixes are normalised like URLs', () => {
    const { scope, pattern } = rule('r1', {
      kind: 'reject',
      scope: 'host:BÜCHER.example',
      pattern: { prefix: '/größe/' },
    }) as UrlRule;
    expect([scope, pattern]).toEqual(['host:xn--bcher-kva.example', { prefix: '/gr%C3%B6%C3%9Fe/' }]);
    expect(rule('r1', { kind: 'reject', pattern: { prefix: 'HTTP://A.example'.toLowerCase() } })).toMatchObject({
      pattern: { prefix: 'http://a.example/' },
    });
  });
});

test('a time that is no valid date is rejected', () => {
  const given = { kind: 'reject', pattern: { prefix: '/a' } };
  expect(checkRule({ ...given, createdAt: 8.64e15 })).toMatchObject({ createdAt: 8.64e15 });
  for (const createdAt of [8.64e15 + 1, -1, NaN, Infinity])
    expect(() => checkRule({ ...given, createdAt })).toThrow('createdAt');
});
