import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyUrlChain, linkVerdicts, type Plugin } from '../../packages/plugin-api/index.js';
import { basicUrlNormalizer, portUrlFilter, regexUrlFilter, trapUrlFilter } from '../../packages/plugins/index.js';

const builtIn = (): Plugin[] => [
  basicUrlNormalizer(),
  portUrlFilter(),
  trapUrlFilter({ maxLength: 60, maxRepeats: 2, maxParameters: 2, maxDepth: 4 }),
  regexUrlFilter('-[.]gif$\n-b=\n+.'),
];

/** Counts its calls, and rejects URLs that end in 7. */
function counting(version?: string): Plugin & { calls: number } {
  return {
    name: 'counting',
    ...(version !== undefined && { version }),
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
    ['a filter without a version after them', () => [...builtIn(), counting()]],
    [
      'a normaliser without a version before some of them',
      () => [
        ...builtIn(),
        { name: 'upper', normalizeUrl: (url: string) => url.replace(/a$/, 'A') },
        basicUrlNormalizer(),
      ],
    ],
    ['a plugin with a version that throws', () => [{ ...counting('1'), filterUrl: () => JSON.parse('{') as boolean }]],
  ])('equals the chain, at every call: %s', (_, make) => {
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

  it('calls a plugin with a version once for a URL, and every other plugin each time', () => {
    const [pure, other] = [counting('1'), counting()];
    const verdictOf = linkVerdicts([pure, other]);
    for (let i = 0; i < 5; i++) verdictOf('http://a.example/');
    expect([pure.calls, other.calls]).toEqual([1, 5]);
  });

  it('calls a plugin with a version each time if it comes after one without, which may have changed the URL', () => {
    let turn = 0;
    const changing: Plugin = { name: 'changing', normalizeUrl: (url) => `${url}?${++turn}` };
    const pure = { ...counting('1'), filterUrl: (url: string) => (url.endsWith('2') ? 'a two' : true) };
    const verdictOf = linkVerdicts([changing, pure]);
    expect([1, 2, 3].map(() => verdictOf('http://a.example/').accepted)).toEqual([true, false, true]);
  });

  it('uses a rule that changed meanwhile if its plugin has no version', () => {
    let rejects = false;
    const verdictOf = linkVerdicts([...builtIn(), { name: 'live', filterUrl: () => !rejects }]);
    expect(verdictOf('http://a.example/').accepted).toBe(true);
    rejects = true;
    expect(verdictOf('http://a.example/')).toMatchObject({ accepted: false, rejectedBy: 'live' });
  });

  it('forgets what was not used for long', () => {
    const plugin = counting('1');
    const verdictOf = linkVerdicts([plugin]);
    const long = 'x'.repeat(100_000);
    for (let i = 0; i < 100; i++) verdictOf(`http://a.example/${i}/${long}`);
    verdictOf(`http://a.example/99/${long}`);
    expect(plugin.calls).toBe(100);
    verdictOf(`http://a.example/0/${long}`);
    expect(plugin.calls).toBe(101);
  });

  it('has a separate cache for each list of plugins', () => {
    const plugin = counting('1');
    const list = [plugin];
    expect(linkVerdicts(list)).toBe(linkVerdicts(list));
    linkVerdicts(list)('http://a.example/');
    linkVerdicts([plugin])('http://a.example/');
    expect(plugin.calls).toBe(2);
  });
});
