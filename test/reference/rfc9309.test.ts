import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../config/schema.js';
import { createRobots, parseRobots, userAgent, type StoredRobots } from '../../packages/fetch/index.js';
import type { FetchOutcome } from '../../packages/plugin-api/index.js';

/** What RFC 9309 leaves to the crawler, or asks for with less than MUST, and where we go another way. */
const EXCEPTIONS = {
  tokenWithDigits: '2.2.1 has names of letters, _ and - only; many crawlers have digits in theirs, so we look for both',
  dividers: '2.2.2 makes no escaped "/" or "?" of a path equal to a plain one, nor do we; within the query we do',
  noLongUnreachable: '2.3.1.4 allows to take the file for absent after 30 days; we go on disallowing',
  noStaleCopy: '2.3.1.4 and 2.4 allow an old copy while the file is unreachable; we do not use one',
  tooMany: '2.3.1.3 lets 429 allow all; we take it as unreachable for now',
} as const;

const allowed = (robots: string | Uint8Array, path: string, agent = 'ExampleBot'): boolean =>
  parseRobots(robots).rulesFor([agent]).allowed(path).allowed;
const allowedOf = (robots: string, paths: readonly string[], agent?: string): string[] =>
  paths.filter((path) => allowed(robots, path, agent));

describe('RFC 9309, 2.1 and 2.2: the format', () => {
  it('2.2: keys in any case, white space around keys and values, comments, all three line ends', () => {
    for (const end of ['\n', '\r', '\r\n']) {
      const robots = ['  uSeR-aGeNt\t: ExampleBot # me', '# nothing', '', 'DISALLOW\t:/a', 'allow :  /a/b  #'].join(
        end,
      );
      expect(allowedOf(robots, ['/a', '/a/b', '/'])).toEqual(['/a/b', '/']);
    }
  });

  it('2.2: a group may have several names, and ends with the name after its rules', () => {
    const robots = 'user-agent: a\nuser-agent: b\ndisallow: /x\nuser-agent: c\ndisallow: /y';
    expect(['a', 'b', 'c'].map((agent) => allowedOf(robots, ['/x', '/y'], agent))).toEqual([['/y'], ['/y'], ['/x']]);
  });

  it('2.2: an empty pattern is a rule that matches nothing', () => {
    expect(allowed('user-agent: *\ndisallow:', '/')).toBe(true);
    expect(allowed('user-agent: *\nallow:\ndisallow: /', '/a')).toBe(false);
  });

  it('2.2: patterns may hold UTF-8', () => {
    expect(allowed('user-agent: *\ndisallow: /ツ', '/%E3%83%84')).toBe(false);
  });
});

describe('RFC 9309, 2.2.1: user-agent lines', () => {
  it('the name is part of the User-Agent header that is sent', () => {
    const settings = settingsSchema.shape.http.parse({ agentName: 'ExampleBot', agentVersion: '0.1' });
    expect(userAgent(settings)).toContain('ExampleBot');
  });

  it('the example: a name is found without regard to case', () => {
    for (const name of ['ExampleBot', 'examplebot', 'EXAMPLEBOT']) {
      expect(allowed(`User-agent: ${name}\nDisallow: /`, '/x')).toBe(false);
    }
  });

  it('only the whole name counts, up to the first character that no name has', () => {
    expect(allowed('User-agent: Example\nDisallow: /', '/x')).toBe(true);
    expect(allowed('User-agent: ExampleBot-News\nDisallow: /', '/x')).toBe(true);
    expect(allowed('User-agent: ExampleBot/1.0\nDisallow: /', '/x')).toBe(false);
  });

  it(EXCEPTIONS.tokenWithDigits, () => {
    expect(allowed('User-agent: MJ12bot\nDisallow: /', '/x', 'MJ12bot')).toBe(false);
    expect(allowed('User-agent: MJ12bot\nDisallow: /', '/x', 'MJ')).toBe(false);
  });

  it('the example: all groups for one name are merged', () => {
    const robots = 'user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz';
    expect(allowedOf(robots, ['/foo', '/bar', '/baz', '/qux'])).toEqual(['/qux']);
  });

  it('the group for all counts where none has the name, and only there', () => {
    const robots = 'user-agent: *\ndisallow: /all\n\nuser-agent: ExampleBot\ndisallow: /one';
    expect(allowedOf(robots, ['/all', '/one'])).toEqual(['/all']);
    expect(allowedOf(robots, ['/all', '/one'], 'OtherBot')).toEqual(['/one']);
  });

  it('where neither is there, or no group at all, all is allowed', () => {
    expect(allowed('user-agent: OtherBot\ndisallow: /', '/')).toBe(true);
    expect(allowed('', '/')).toBe(true);
    expect(allowed('# nothing here\n\n', '/')).toBe(true);
  });
});

describe('RFC 9309, 2.2.2: allow and disallow lines', () => {
  const disallows = (pattern: string, path: string): boolean => !allowed(`user-agent: *\ndisallow: ${pattern}`, path);

  it('a rule begins with the path, and case matters', () => {
    expect([disallows('/foo', '/foo/bar'), disallows('/foo', '/bar/foo'), disallows('/Foo', '/foo')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz'],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar'],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%E3%83%84', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
  ])('the example: %s and %s are compared octet by octet, either way round', (pattern, path) => {
    expect(disallows(pattern, path)).toBe(true);
    expect(disallows(path, pattern)).toBe(true);
  });

  it(EXCEPTIONS.dividers, () => {
    expect([disallows('/a%2Fb', '/a/b'), disallows('/a%3Fb', '/a?b'), disallows('/?a%2Fb', '/?a/b')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('the most octets win, in any order of the lines', () => {
    const lines = ['disallow: /a', 'allow: /a/b', 'disallow: /a/b/c'];
    for (const order of [lines, [...lines].reverse()]) {
      expect(allowedOf(['user-agent: *', ...order].join('\n'), ['/a', '/a/b', '/a/b/c'])).toEqual(['/a/b']);
    }
  });

  it('of two alike, allow wins', () => {
    expect(allowed('user-agent: *\ndisallow: /a\nallow: /a', '/a')).toBe(true);
    expect(allowed('user-agent: *\nallow: /%61\ndisallow: /a', '/a')).toBe(true);
  });

  it('where no rule matches, it is allowed', () => {
    expect(allowed('user-agent: *\ndisallow: /a', '/b')).toBe(true);
  });

  it('/robots.txt itself is allowed', () => {
    expect(allowed('user-agent: *\ndisallow: /', '/robots.txt')).toBe(true);
  });

  it('rules before the first name are ignored', () => {
    expect(allowed('disallow: /\nuser-agent: *\ndisallow: /a', '/b')).toBe(true);
  });
});

describe('RFC 9309, 2.2.3 and 2.2.4: special characters, other records', () => {
  it('the examples of #, $ and *', () => {
    expect(allowedOf('user-agent: *\ndisallow: /\nallow: /a # in the line\n# on its own', ['/a', '/b'])).toEqual([
      '/a',
    ]);
    const exactly = 'user-agent: *\ndisallow: /\nallow: /this/path/exactly$';
    expect(allowedOf(exactly, ['/this/path/exactly', '/this/path/exactly/not'])).toEqual(['/this/path/exactly']);
    const star = 'user-agent: *\ndisallow: /\nallow: /this/*/exactly';
    expect(allowedOf(star, ['/this/path/exactly', '/this//exactly', '/this/exactly', '/this/a/b/exactly?c'])).toEqual([
      '/this/path/exactly',
      '/this//exactly',
      '/this/a/b/exactly?c',
    ]);
  });

  it.each([
    ['/path/file-with-a-%2A.html', '/path/file-with-a-*.html', '/path/file-with-a-b.html'],
    ['/path/foo-%24', '/path/foo-$', '/path/foo-'],
  ])('the example: %s stands for %s as it is', (pattern, path, other) => {
    const robots = `user-agent: *\ndisallow: ${pattern}`;
    expect([allowed(robots, path), allowed(robots, other)]).toEqual([false, true]);
  });

  it('2.2.4: other records do not change groups', () => {
    const robots = 'user-agent: ExampleBot\nsitemap: https://a.org/s.xml\nnoindex: /\nuser-agent: b\ndisallow: /a';
    expect([allowed(robots, '/a'), allowed(robots, '/a', 'b')]).toEqual([false, false]);
    expect(parseRobots(robots).rulesFor(['x']).sitemaps).toEqual(['https://a.org/s.xml']);
  });
});

describe('RFC 9309, 5: its examples', () => {
  const simple = [
    'User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n',
    'User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n',
    'User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n',
    'User-Agent: quxbot\n\n',
  ].join('\n');
  const paths = [
    '/',
    '/a.gif',
    '/example/',
    '/example/page.html',
    '/example/allowed.gif',
    '/publications/',
    '/a.gif?x',
  ];

  it.each([
    ['anybot', ['/', '/publications/', '/a.gif?x']],
    ['foobot', ['/example/page.html', '/example/allowed.gif']],
    ['barbot', paths.filter((path) => path !== '/example/page.html')],
    ['bazbot', paths.filter((path) => path !== '/example/page.html')],
    ['quxbot', paths],
  ])('5.1: %s', (agent, expected) => {
    expect(allowedOf(simple, paths, agent)).toEqual(expected);
  });

  it('5.2: the longest match', () => {
    const robots = 'User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif';
    expect(allowedOf(robots, ['/example/page/', '/example/page/disallowed.gif'], 'foobot')).toEqual(['/example/page/']);
  });
});

describe('RFC 9309, 2.3 to 2.5: access, caching, limits', () => {
  const DAY = 86_400_000;
  const RULES = 'user-agent: *\ndisallow: /x';

  /** A crawler before a web of these answers, with a clock to turn. */
  function crawler(answers: Record<string, FetchOutcome>) {
    const clock = { now: 1e12 };
    const asked: string[] = [];
    const stored = new Map<string, StoredRobots>();
    const robots = createRobots({
      protocol: {
        schemes: ['http', 'https'],
        fetch: async ({ url }) => {
          asked.push(url);
          return answers[url] ?? { kind: 'gone', code: 'not_found', http: 404 };
        },
      },
      agents: ['ExampleBot'],
      clock: () => clock.now,
      store: {
        get: async (origin) => stored.get(origin),
        put: async (origin, value) => void stored.set(origin, value),
      },
    });
    const kindOf = async (url: string): Promise<string> => (await robots.check(url)).kind;
    return { clock, asked, answers, kindOf };
  }
  const file = (text: string | Uint8Array): FetchOutcome => ({
    kind: 'content',
    code: 'success',
    http: 200,
    body: Buffer.from(text),
    truncated: false,
    contentType: 'text/plain',
  });
  const failing = (http?: number): FetchOutcome => ({ kind: 'retry', code: 'x', message: 'x', ...(http && { http }) });
  const redirect = (target: string): FetchOutcome => ({
    kind: 'redirect',
    code: 'moved',
    http: 301,
    permanent: true,
    target,
  });

  it('2.3: the file is at /robots.txt of the same scheme, host and port', async () => {
    const { asked, kindOf } = crawler({});
    for (const url of ['http://a.org/b/c?d', 'https://a.org/', 'http://a.org:8080/', 'http://b.a.org/'])
      await kindOf(url);
    expect(asked).toEqual([
      'http://a.org/robots.txt',
      'https://a.org/robots.txt',
      'http://a.org:8080/robots.txt',
      'http://b.a.org/robots.txt',
    ]);
  });

  it('2.3.1.1: rules of a file that was had are followed', async () => {
    const { kindOf } = crawler({ 'http://a.org/robots.txt': file(RULES) });
    expect([await kindOf('http://a.org/x'), await kindOf('http://a.org/y')]).toEqual(['denied', 'allowed']);
  });

  it('2.3.1.2: five redirects are followed, also to other hosts, and count for the host that was asked', async () => {
    const answers: Record<string, FetchOutcome> = { 'http://a.org/robots.txt': redirect('http://h1.org/r') };
    for (let i = 1; i < 5; i++) answers[`http://h${i}.org/r`] = redirect(`http://h${i + 1}.org/r`);
    answers['http://h5.org/r'] = file(RULES);
    expect(await crawler(answers).kindOf('http://a.org/x')).toBe('denied');
    expect(await crawler(answers).kindOf('http://h5.org/x')).toBe('allowed');
  });

  it('2.3.1.2: with more the file counts as absent', async () => {
    const endless = crawler({ 'http://a.org/robots.txt': redirect('http://a.org/robots.txt') });
    expect(await endless.kindOf('http://a.org/x')).toBe('allowed');
    expect(endless.asked).toHaveLength(6);
  });

  it('2.3.1.3: 400 to 499 allow all', async () => {
    for (let http = 400; http < 500; http++) {
      if (http === 429) continue;
      const { kindOf } = crawler({ 'http://a.org/robots.txt': { kind: 'gone', code: 'x', http } });
      expect(await kindOf('http://a.org/x'), String(http)).toBe('allowed');
    }
  });

  it(EXCEPTIONS.tooMany, async () => {
    const { kindOf } = crawler({ 'http://a.org/robots.txt': failing(429) });
    expect(await kindOf('http://a.org/x')).toBe('unavailable');
  });

  it('2.3.1.4: 500 to 599 and errors of the network allow nothing', async () => {
    for (const http of [undefined, ...Array.from({ length: 100 }, (_, i) => 500 + i)]) {
      const { kindOf } = crawler({ 'http://a.org/robots.txt': failing(http) });
      expect(await kindOf('http://a.org/'), String(http)).toBe('unavailable');
    }
  });

  it(EXCEPTIONS.noLongUnreachable, async () => {
    const { clock, kindOf } = crawler({ 'http://a.org/robots.txt': failing(500) });
    for (let day = 0; day < 60; day++, clock.now += DAY) expect(await kindOf('http://a.org/')).toBe('unavailable');
  });

  it('2.3.1.5: what cannot be parsed is passed over, line by line', async () => {
    const lines = ['<html>', '\0\xff\xfe', 'user-agent: *', ':', 'disallow', '=disallow: /y', 'disallow: /x', '{}'];
    const { kindOf } = crawler({ 'http://a.org/robots.txt': file(Buffer.from(lines.join('\n'), 'latin1')) });
    expect([await kindOf('http://a.org/x'), await kindOf('http://a.org/y')]).toEqual(['denied', 'allowed']);
  });

  it('2.4: a copy is used for 24 hours and no longer', async () => {
    const { answers, asked, clock, kindOf } = crawler({ 'http://a.org/robots.txt': file(RULES) });
    await kindOf('http://a.org/x');
    answers['http://a.org/robots.txt'] = file('');
    clock.now += DAY - 1;
    expect(await kindOf('http://a.org/x')).toBe('denied');
    clock.now += 1;
    expect(await kindOf('http://a.org/x')).toBe('allowed');
    expect(asked).toHaveLength(2);
  });

  it(EXCEPTIONS.noStaleCopy, async () => {
    const { answers, clock, kindOf } = crawler({ 'http://a.org/robots.txt': file('') });
    expect(await kindOf('http://a.org/x')).toBe('allowed');
    answers['http://a.org/robots.txt'] = failing(503);
    clock.now += DAY;
    expect(await kindOf('http://a.org/x')).toBe('unavailable');
  });

  it('2.5: at least 500 KiB are read', async () => {
    const last = '\ndisallow: /x';
    const head = `user-agent: *\n#`;
    const full = head + ' '.repeat(500 * 1024 - head.length - last.length) + last;
    expect(full.length).toBe(500 * 1024);
    const { kindOf } = crawler({ 'http://a.org/robots.txt': file(full) });
    expect(await kindOf('http://a.org/x')).toBe('denied');
  });
});
