import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../config/schema.js';
import { applyUrlChain, traceUrl, type Plugin, type UrlScope } from '../../packages/plugin-api/index.js';
import { defaultPlugins } from '../../packages/webcrawl/internal.js';
import { randomNumbers } from '../support/web/fake-web.js';

const fails = (message: string) => () => {
  throw new Error(message);
};

describe('a trace', () => {
  const plugins: Plugin[] = [
    { name: 'no-b', filterUrl: (url) => !url.includes('b') },
    { name: 'a-to-b', normalizeUrl: (url) => url.replace('/a', '/b') },
    { name: 'same', normalizeUrl: (url) => url },
    { name: 'no-c', filterUrl: (url) => (url.includes('c') ? 'has a c' : true) },
    { name: 'broken', filterUrl: fails('oh') },
  ];

  it('has every step, and calls every filter after one that rejects', () => {
    expect(traceUrl(plugins, 'HTTP://h/a', 'inject')).toEqual({
      verdict: { accepted: false, url: 'http://h/b', rejectedBy: 'no-b', rule: 'rejected' },
      normalized: 'http://h/b',
      steps: [
        { kind: 'normalizer', name: 'url', before: 'HTTP://h/a', after: 'http://h/a' },
        { kind: 'normalizer', name: 'a-to-b', before: 'http://h/a', after: 'http://h/b' },
        { kind: 'normalizer', name: 'same', before: 'http://h/b', after: 'http://h/b' },
        { kind: 'filter', name: 'no-b', accepted: false, rule: 'rejected' },
        { kind: 'filter', name: 'no-c', accepted: true },
        { kind: 'filter', name: 'broken', accepted: false, rule: 'oh' },
      ],
    });
  });

  it('ends at a normaliser that throws, or whose URL is invalid', () => {
    const throwing = traceUrl([{ name: 'x', normalizeUrl: fails('no') }, ...plugins], 'http://h/', 'inject');
    expect(throwing.verdict).toEqual({ accepted: false, url: 'http://h/', rejectedBy: 'x', rule: 'no' });
    expect(throwing.normalized).toBeUndefined();
    expect(throwing.steps).toHaveLength(1);
    expect(traceUrl([{ name: 'x', normalizeUrl: () => 'nothing' }], 'http://h/', 'inject').normalized).toBeUndefined();
    expect(traceUrl(plugins, 'mailto:a@b', 'inject')).toMatchObject({ verdict: { rejectedBy: 'url' }, steps: [] });
  });
});

it('has the same verdict as the chain, for any URL', () => {
  const random = randomNumbers(7);
  const parts = [
    'http://',
    'h',
    'HTTPS://',
    '/',
    'a',
    '?',
    '&x=1',
    '#f',
    '%7e',
    '%zz',
    '.jpg',
    '..',
    ' ',
    'ü',
    '@',
    ':',
  ];
  const scopes: UrlScope[] = ['inject', 'outlink', 'redirect', 'generate'];
  const plugins: readonly Plugin[] = [
    ...defaultPlugins(settingsSchema.parse({})),
    { name: 'no-a', normalizeUrl: (url) => (url.endsWith('a') ? '' : url), filterUrl: (url) => !url.includes('~') },
  ];
  for (let i = 0; i < 3000; i++) {
    const length = Math.floor(random() * 8);
    const rest = Array.from({ length }, () => parts[Math.floor(random() * parts.length)]).join('');
    const url = `${random() < 0.7 ? 'http://h/' : ''}${rest}`;
    const scope = scopes[i % scopes.length]!;
    const { verdict, normalized } = traceUrl(plugins, url, scope);
    expect(verdict, url).toEqual(applyUrlChain(plugins, url, scope));
    if (verdict.accepted) expect(normalized).toBe(verdict.url);
  }
});
