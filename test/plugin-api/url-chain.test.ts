import { describe, expect, it } from 'vitest';
import { CrawlError } from '../../packages/errors/index.js';
import { applyUrlChain, type Plugin, type UrlScope } from '../../packages/plugin-api/index.js';

const append = (name: string, text: string): Plugin => ({ name, normalizeUrl: (url) => url + text });
const rejecting = (name: string, verdict: boolean | string): Plugin => ({ name, filterUrl: () => verdict });

describe('applyUrlChain', () => {
  it('parses the URL even without plugins', () => {
    expect(applyUrlChain([], ' HTTP://A.com:80#x ', 'inject')).toEqual({ accepted: true, url: 'http://a.com/' });
  });

  it('runs normalisers in list order, then filters in list order on the result', () => {
    const seen: string[] = [];
    const filter = (name: string): Plugin => ({ name, filterUrl: (url) => seen.push(`${name} ${url}`) > 0 });
    const plugins = [filter('f1'), append('n1', '1'), { name: 'neither' }, append('n2', '2'), filter('f2')];
    expect(applyUrlChain(plugins, 'http://a.com', 'outlink')).toEqual({ accepted: true, url: 'http://a.com/12' });
    expect(seen).toEqual(['f1 http://a.com/12', 'f2 http://a.com/12']);
  });

  it('runs normalizeUrl and filterUrl of a plugin that has both', () => {
    const both: Plugin = { name: 'both', normalizeUrl: (url) => `${url}x`, filterUrl: (url) => url.endsWith('x') };
    expect(applyUrlChain([both], 'http://a.com/', 'inject')).toEqual({ accepted: true, url: 'http://a.com/x' });
  });

  it('passes on the scope', () => {
    const scopes: UrlScope[] = [];
    const plugin: Plugin = {
      name: 'scopes',
      normalizeUrl: (url, scope) => (scopes.push(scope), url),
      filterUrl: (_url, scope) => scopes.push(scope) > 0,
    };
    for (const scope of ['inject', 'outlink', 'redirect'] as const) applyUrlChain([plugin], 'http://a.com/', scope);
    expect(scopes).toEqual(['inject', 'inject', 'outlink', 'outlink', 'redirect', 'redirect']);
  });

  it('parses the result of a normaliser again', () => {
    const plugins: Plugin[] = [{ name: 'loud', normalizeUrl: () => 'HTTP://B.com/x/../y#z' }];
    expect(applyUrlChain(plugins, 'http://a.com/', 'inject')).toEqual({ accepted: true, url: 'http://b.com/y' });
  });

  it('names the plugin and the rule that rejected, and calls no plugin after it', () => {
    const plugins = [rejecting('one', true), rejecting('two', 'line 7: -x'), rejecting('three', 'never asked')];
    expect(applyUrlChain(plugins, 'http://a.com', 'inject')).toEqual({
      accepted: false,
      url: 'http://a.com/',
      rejectedBy: 'two',
      rule: 'line 7: -x',
    });
  });

  it.each([false, ''])('treats %j as a rejection without a rule', (verdict) => {
    expect(applyUrlChain([rejecting('one', verdict)], 'http://a.com/', 'inject')).toMatchObject({
      accepted: false,
      rejectedBy: 'one',
      rule: 'rejected',
    });
  });

  it.each(['', 'nonsense', 'mailto:a@b', 'ftp://a.com/'])('rejects %j as a URL that the table cannot hold', (url) => {
    const plugins = [append('n', 'x'), rejecting('f', true)];
    expect(applyUrlChain(plugins, url, 'inject')).toMatchObject({
      accepted: false,
      url,
      rejectedBy: 'url',
      rule: expect.stringMatching(/is not an absolute URL|only http and https/) as string,
    });
  });

  it('rejects an invalid result of a normaliser under the name of that normaliser', () => {
    const plugins = [
      append('fine', 'x'),
      { name: 'bad', normalizeUrl: () => 'http://u:p@a.com/' },
      append('after', 'y'),
    ];
    expect(applyUrlChain(plugins, 'http://a.com/', 'inject')).toMatchObject({
      accepted: false,
      url: 'http://a.com/x',
      rejectedBy: 'bad',
      rule: expect.stringContaining('has a user name or password') as string,
    });
  });

  it.each([
    ['an Error', new Error('oh'), 'oh'],
    ['a CrawlError', new CrawlError('BAD_INPUT', 'no file'), 'no file'],
    ['a text', 'thrown text', 'thrown text'],
    ['nothing', undefined, 'undefined'],
  ])('rejects when a plugin throws %s', (_what, thrown, rule) => {
    const fail = () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- a plugin may throw anything
      throw thrown;
    };
    for (const bad of [
      { name: 'bad', normalizeUrl: fail },
      { name: 'bad', filterUrl: fail },
    ]) {
      const verdict = applyUrlChain([bad, rejecting('after', 'never asked')], 'http://a.com/', 'inject');
      expect(verdict).toEqual({ accepted: false, url: 'http://a.com/', rejectedBy: 'bad', rule });
    }
  });

  it('rejects an invalid result of a plugin without types', () => {
    const wrong = [undefined, null, 1, {}].map(
      (value) => ({ name: 'wrong', filterUrl: () => value }) as unknown as Plugin,
    );
    for (const plugin of wrong)
      expect(applyUrlChain([plugin], 'http://a.com/', 'inject')).toMatchObject({ accepted: false });
    const none = { name: 'none', normalizeUrl: () => undefined } as unknown as Plugin;
    expect(applyUrlChain([none], 'http://a.com/', 'inject')).toMatchObject({ accepted: false, rejectedBy: 'none' });
  });
});
