import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyUrlChain, linkVerdicts, urlSteps, type Plugin } from '../../packages/plugin-api/index.js';
import { basicUrlNormalizer, portUrlFilter, regexUrlFilter, trapUrlFilter } from '../../packages/plugins/index.js';

const builtIn = (): Plugin[] => [
  basicUrlNormalizer(),
  portUrlFilter(),
  trapUrlFilter({ maxLength: 60, maxRepeats: 2, maxParameters: 2, maxDepth: 4 }),
  regexUrlFilter('-[.]gif$\n-b=\n+.'),
];

/** Counts its calls, and rejects what ends in its number. */
function counting(pure: boolean | undefined): Plugin & { calls: number } {
  return {
    name: 'counting',
    ...(pure !== undefined && { pure }),
    calls: 0,
    filterUrl(url) {
      this.calls += 1;
      return url.endsWith('7') ? 'a seven' : true;
    },
  };
}

const URLS = fc
  .tuple(
    fc.constantFrom('http://a.example', 'https://b.example:8443', 'http://B.EXAMPLE.', 'ftp://c.example', '://'),
    fc.array(fc.constantFrom('a', 'b', '%7e', 'é', '..', 'x.gif', 'x.gz', '7', ' '), { maxLength: 8 }),
    fc.constantFrom('', '?', '?a=1', '?b=2', '?a&b&c&d', '#top'),
  )
  .map(([host, path, query]) => `${host}/${path.join('/')}${query}`);

describe('linkVerdicts', () => {
  it.each([
    ['built-in plugins', () => builtIn()],
    ['a filter that is not pure after them', () => [...builtIn(), counting(undefined)]],
    [
      'a normaliser that is not pure before some of them',
      () => [
        ...builtIn(),
        { name: 'upper', normalizeUrl: (url: string) => url.replace(/a$/, 'A') },
        basicUrlNormalizer(),
      ],
    ],
    ['a pure plugin that throws', () => [{ ...counting(true), filterUrl: () => JSON.parse('{') as boolean }]],
    ['steps of a chain', () => urlSteps([...builtIn(), counting(undefined)]).slice(0, 3)],
  ])('says what the chain says, again and again: %s', (_, make) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(URLS, fc.boolean()), { maxLength: 30 }), (links) => {
        const [plugins, plain] = [make(), make()];
        const verdictOf = linkVerdicts(plugins);
        for (const [url, sitemap] of [...links, ...links]) {
          expect(verdictOf(url, { sitemap })).toEqual(applyUrlChain(plain, url, 'outlink', { sitemap }));
        }
      }),
    );
  });

  it('asks a pure plugin once for a URL, and every other plugin each time', () => {
    const [pure, other, said] = [counting(true), counting(undefined), counting(false)];
    const verdictOf = linkVerdicts([pure, other, said]);
    for (let i = 0; i < 5; i++) verdictOf('http://a.example/');
    expect([pure.calls, other.calls, said.calls]).toEqual([1, 5, 5]);
  });

  it('asks a pure plugin each time that comes after one that is not, which may have changed the URL', () => {
    let turn = 0;
    const changing: Plugin = { name: 'changing', normalizeUrl: (url) => `${url}?${++turn}` };
    const pure = { ...counting(true), filterUrl: (url: string) => (url.endsWith('2') ? 'a two' : true) };
    const verdictOf = linkVerdicts([changing, pure]);
    expect([1, 2, 3].map(() => verdictOf('http://a.example/').accepted)).toEqual([true, false, true]);
  });

  it('takes a rule that changed while it runs, where a plugin does not say that it is pure', () => {
    let rejects = false;
    const verdictOf = linkVerdicts([...builtIn(), { name: 'live', filterUrl: () => !rejects }]);
    expect(verdictOf('http://a.example/').accepted).toBe(true);
    rejects = true;
    expect(verdictOf('http://a.example/')).toMatchObject({ accepted: false, rejectedBy: 'live' });
  });

  it('forgets what was not used for long', () => {
    const plugin = counting(true);
    const verdictOf = linkVerdicts([plugin]);
    const long = 'x'.repeat(100_000);
    for (let i = 0; i < 100; i++) verdictOf(`http://a.example/${i}/${long}`);
    verdictOf(`http://a.example/99/${long}`);
    expect(plugin.calls).toBe(100);
    verdictOf(`http://a.example/0/${long}`);
    expect(plugin.calls).toBe(101);
  });

  it('has one memory for a list of plugins, and another for another', () => {
    const plugin = counting(true);
    const list = [plugin];
    expect(linkVerdicts(list)).toBe(linkVerdicts(list));
    linkVerdicts(list)('http://a.example/');
    linkVerdicts([plugin])('http://a.example/');
    expect(plugin.calls).toBe(2);
  });
});
