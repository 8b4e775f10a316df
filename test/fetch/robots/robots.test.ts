import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRobots, ROBOTS_LIMIT } from '../../../packages/fetch/index.js';
import { SEARCH_LIMIT } from '../../../packages/fetch/robots/robots.js';
import { compilePattern, matches, toOctets } from '../../../packages/fetch/robots/robots-pattern.js';

const allowed = (robots: string | Uint8Array, path: string, agents = ['bot']): boolean =>
  parseRobots(robots).rulesFor(agents).allowed(path).allowed;
const rule = (pattern: string, path: string): boolean => !allowed(`User-agent: *\nDisallow: ${pattern}`, path);

describe('groups', () => {
  it('are not separated by other records', () => {
    const robots = 'User-agent: bot\nCrawl-delay: 5\nSitemap: /s\nFoo: bar\nUser-agent: x\nDisallow: /a';
    expect(allowed(robots, '/a')).toBe(false);
    expect(parseRobots(robots).rulesFor(['bot'])).toMatchObject({ crawlDelay: 5, sitemaps: ['/s'] });
  });

  it('are looked up by the first of the given names that has any', () => {
    const robots = 'User-agent: b\nDisallow: /b\n\nUser-agent: c\nDisallow: /c';
    const rules = parseRobots(robots).rulesFor(['a', 'b', 'c']);
    expect([rules.allowed('/b').allowed, rules.allowed('/c').allowed]).toEqual([false, true]);
  });

  // RFC 9309, 2.2.1 has names of letters, _ and - only; many crawlers have digits in theirs, so both are looked up.
  it.each([
    ['bot', 'bot', true],
    ['Bot/1.0 (x)', 'bot', true],
    ['bot1', 'bot', true],
    ['bot', 'bot1', false],
    ['bot1', 'BOT1/7', true],
    ['MJ12bot', 'MJ12bot', true],
    ['MJ12bot', 'MJ13bot', false],
    ['MJ12bot', 'MJ', true],
    ['bot-news', 'bot', false],
    ['robot', 'bot', false],
    ['* x', 'bot', true],
    ['*x', 'bot', false],
    ['', '', false],
  ])('User-agent: %s and the crawler %s', (value, agent, expected) => {
    expect(!allowed(`User-agent: ${value}\nDisallow: /`, '/a', [agent])).toBe(expected);
  });
});

describe('lines', () => {
  it('may be odd', () => {
    const robots =
      '\ufeff  USER-AGENT :bot # me\n\tdisAllow:/a#b\nDisallow /c\nDisallow\n:\nnonsense here too\nDisallow: /d d';
    expect(['/a', '/c', '/d%20d', '/e'].map((path) => allowed(robots, path))).toEqual([false, false, false, true]);
  });

  it.each(['\u00a0', '\u2003\u3000', '\u202f \t\u1680', '\u0085', '\ufeff', '\u2028'])(
    'may have %j as a blank',
    (blank) => {
      const robots = `${blank}User-agent${blank}:${blank}bot${blank}\nDisallow:${blank}/a${blank}# x\nAllow:${blank}\nDisallow: /b$${blank}`;
      expect(['/a', '/ab', '/b', '/c'].map((path) => allowed(robots, path))).toEqual([false, false, false, true]);
    },
  );

  it('keep letters whose bytes include those of blanks', () => {
    for (const letter of ['à', '…', '†', 'Ā', '\u0820', '\u{1f4a0}'])
      expect(rule(`/${letter}`, `/${letter}`)).toBe(true);
    for (const letter of ['à', '…', '†']) expect(rule(`/${letter}`, '/'), letter).toBe(false);
    expect(parseRobots(Buffer.from('Sitemap: /à\u00a0')).rulesFor([]).sitemaps).toEqual(['/à']);
  });

  it('are reported with number and text', () => {
    const robots = parseRobots('# x\r\nUser-agent: *\r\n\r\ndisallow: /caf\u00e9 # y').rulesFor(['bot']);
    expect(robots.allowed('/caf%C3%A9')).toEqual({ allowed: false, line: { number: 4, text: 'Disallow: /café' } });
    expect(robots.allowed('/x')).toEqual({ allowed: true });
  });

  it('count up to the limit, without one that is cut', () => {
    const head = 'User-agent: *\nDisallow: /a\n';
    const body = (last: string): string =>
      `${head}${'#'.repeat(ROBOTS_LIMIT - head.length - 1 - last.length)}\n${last}`;
    const full = body('Disallow: /b');
    expect(full.length).toBe(ROBOTS_LIMIT);
    // RFC 9309, 2.5
    expect(ROBOTS_LIMIT).toBeGreaterThanOrEqual(500 * 1024);
    expect([allowed(full, '/a'), allowed(full, '/b')]).toEqual([false, false]);
    expect(allowed(`${full}\nDisallow: /c`, '/b')).toBe(false);
    expect(allowed(`${full}\nDisallow: /c`, '/c')).toBe(true);
    expect(allowed(`${full}ar`, '/bar')).toBe(true);
  });

  it('set a delay in seconds', () => {
    const delay = (value: string): number | undefined =>
      parseRobots(`User-agent: bot\nCrawl-delay: ${value}`).rulesFor(['bot']).crawlDelay;
    expect(['1', '0.5', '.5', '2.'].map(delay)).toEqual([1, 0.5, 0.5, 2]);
    expect(['-1', 'x', '1e9', '', '.', '1.2.3'].map(delay).filter((seconds) => seconds !== undefined)).toEqual([]);
    expect(delay('1\nCrawl-delay: 7\nCrawl-delay: 3')).toBe(7);
  });

  it('set it for the names before it, even if more names follow in the group', () => {
    const text =
      'User-agent: SlowBot\nCrawl-delay: 120\nUser-agent: *\nCrawl-delay: 2\nUser-agent: bot\nDisallow: /private/';
    const robots = parseRobots(text);
    const delayOf = (name: string) => robots.rulesFor([name]).crawlDelay;
    expect(['slowbot', 'other', 'bot'].map(delayOf)).toEqual([120, 2, undefined]);
    // The rules apply to all names of the group.
    for (const name of ['slowbot', 'other', 'bot']) {
      expect(robots.rulesFor([name]).allowed('/private/x').allowed).toBe(false);
    }
  });

  it('may set it in several groups, which all count', () => {
    const robots = parseRobots(
      'User-agent: bot\nDisallow: /a\n\nUser-agent: bot\nUser-agent: x\nCrawl-delay: 4\nDisallow: /b',
    );
    expect(robots.rulesFor(['bot']).crawlDelay).toBe(4);
    expect(robots.rulesFor(['none', 'bot']).crawlDelay).toBe(4);
    expect(robots.rulesFor(['none']).crawlDelay).toBeUndefined();
  });
});

describe('patterns', () => {
  it.each([
    ['/', '/', true],
    ['/a', '/ab', true],
    ['/a', '/A', false],
    ['/a$', '/a', true],
    ['/a$', '/a?', false],
    ['/*', '/', true],
    ['*', '/a', true],
    ['*b', '/ab', true],
    ['/a*b*c', '/a1b2c3', true],
    ['/a*b*c', '/a1c2b', false],
    ['/*.php$', '/a.php.php', true],
    ['/*.php$', '/a.php.txt', false],
    ['/a*a$', '/a', false],
    ['/a*$', '/abc', true],
    ['/$a', '/$a', true],
    ['$', '/', false],
    ['a', '/a', false],
    ['/a**b', '/ab', true],
    ['/%61', '/a', true],
    ['/a', '/%61', true],
    ['/%c3%a9', '/%C3%A9', true],
    ['/é', '/%C3%A9', true],
    ['/%C3%A9', '/é', true],
    // RFC 9309, 2.2.2: an escaped "/" or "?" in a path is not equal to a plain one; within the query it is.
    ['/a%2Fb', '/a/b', false],
    ['/a/b', '/a%2fb', false],
    ['/a%2Fb', '/a%2fb', true],
    ['/%3F', '/?', false],
    ['/?u=http://x/', '/?u=http%3A%2F%2Fx%2F', true],
    ['/*/x', '/?u=%2Fx', true],
    ['/a-%2A.html', '/a-*.html', true],
    ['/a-%24', '/a-$', true],
    ['/a-%24', '/a-', false],
    ['/%', '/%', true],
    ['/%zz', '/%zz', true],
    ['/%25', '/%', true],
    ['/a%20b', '/a b', true],
    ['/\u00e0', '/%C3%A0', true],
    ['/{{imageURL}}', '/%7B%7BimageURL%7D%7D', true],
    ['/%7b%7C', '/{|', true],
    ['/a"b', '/a%22b', true],
    ['/tag<x>', '/tag%3Cx%3E', true],
    ['/a`^|b', '/a%60%5E%7Cb', true],
    ['/?q={a|b}', '/?q=%7Ba%7Cb%7D', true],
    ['\\a\\', '/a/b', true],
    ['/a\\b', '/a%5Cb', false],
    ['/?a\\b', '/?a%5Cb', true],
  ])('%s and %s', (pattern, path, expected) => {
    expect(rule(pattern, path)).toBe(expected);
  });

  it('are normalised as paths by the URL Standard', () => {
    const text = fc.string({ unit: fc.constantFrom('/', 'a', '?', '%', 'é', ' ', ...'{}|\\^"<>`'), maxLength: 12 });
    fc.assert(
      fc.property(text, (rest) => {
        const { pathname, search } = new URL(`http://h.com/${rest}x`);
        expect(rule(`/${rest}x`, pathname + search), rest).toBe(true);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  it('match by the longest one, and with equal lengths by Allow', () => {
    const robots = (lines: string[]): string => ['User-agent: *', ...lines].join('\n');
    for (const lines of [['Disallow: /a', 'Allow: /a/b', 'Disallow: /*/b/c', 'Allow: /a/b/*'], ['Disallow: /x']]) {
      for (const order of [lines, [...lines].reverse()]) {
        expect(allowed(robots(order), '/a/b/c')).toBe(true);
      }
    }
    expect(allowed(robots(['Disallow: /a', 'Allow: /a']), '/a')).toBe(true);
    expect(allowed(robots(['Allow: /é', 'Disallow: /????']), '/é')).toBe(true);
  });

  it('count each escaped byte as three characters (RFC 9309, 2.2.2)', () => {
    // `/a%20b` is longer than `/a*b$`, which is longer than `/a b` would be without escapes.
    for (const escaped of ['/a%20b', '/a b', '/a%01b', '/a%0bb', '/a%7Fb', '/a%FFb']) {
      const path = escaped.replace(' ', '%20');
      for (const rules of [
        [`Allow: ${escaped}`, 'Disallow: /a*b$'],
        ['Disallow: /a*b$', `Allow: ${escaped}`],
      ]) {
        expect(allowed(['User-agent: *', ...rules].join('\n'), path), escaped).toBe(true);
      }
    }
  });

  it('never apply to robots.txt itself', () => {
    expect(allowed('User-agent: *\nDisallow: /', '/robots.txt')).toBe(true);
    expect(allowed('User-agent: *\nDisallow: /', '/robots.txts')).toBe(false);
  });

  it('match like regular expressions', () => {
    const text = fc.string({ unit: fc.constantFrom('/', 'a', 'b', '*', '$', '?', '.'), maxLength: 12 });
    fc.assert(
      fc.property(text, text, (pattern, rest) => {
        const path = `/${rest.replaceAll('*', 'c')}`;
        const anchored = pattern.endsWith('$');
        const source = (anchored ? pattern.slice(0, -1) : pattern)
          .split('*')
          .map((part) => part.replace(/[$?.]/g, '\\$&'))
          .join('.*');
        const expected = new RegExp(`^${source}${anchored ? '$' : ''}`).test(path);
        expect(matches(compilePattern(pattern), toOctets(path, false))).toBe(expected);
      }),
      { seed: 1, numRuns: 3000 },
    );
  });

  it('may have a long part', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 251, maxLength: 300 });
    fc.assert(
      fc.property(
        part,
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 400 }),
        fc.boolean(),
        (long, other, inside) => {
          const path = `/${other}${inside ? long : ''}${other}`;
          expect(matches(compilePattern(`/*${long}`), path)).toBe(path.includes(long));
        },
      ),
      { seed: 2, numRuns: 200 },
    );
  });

  it('that are made to be slow are not slow', () => {
    const hostile = [
      ...Array.from({ length: 250 }, () => `Disallow: /*b${'a'.repeat(1000)}`),
      ...Array.from({ length: 250 }, () => `Disallow: /${'*a'.repeat(500)}*b$`),
      ...Array.from({ length: 250 }, () => `Disallow: /*${'a'.repeat(240)}c`),
      `Disallow: /b${'\u00a0'.repeat(50_000)}b`,
    ];
    const rules = parseRobots(`User-agent: *\n${hostile.join('\n')}`).rulesFor(['bot']);
    expect(rules.allowed(`/${'a'.repeat(4000)}`).allowed).toBe(true);
  });

  it('that would search too many characters deny the path', () => {
    const path = `/${'a'.repeat(1999)}`;
    const verdict = (line: string, count: number) =>
      parseRobots(`User-agent: *\n${`${line}\n`.repeat(count)}`)
        .rulesFor(['bot'])
        .allowed(path);
    const most = Math.floor(SEARCH_LIMIT / path.length);
    expect(verdict('Disallow: *aaab', most)).toEqual({ allowed: true });
    expect(verdict('Disallow: *aaab', most + 1)).toMatchObject({ allowed: false, line: { number: most + 2 } });
    // Nothing is searched for a pattern whose beginning does not match.
    for (const line of ['/b', '/b*a', '/ab*?s=']) {
      expect(verdict(`Disallow: ${line}`, most + 1), line).toEqual({ allowed: true });
    }
  });
});

it('may contain any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.webPath(), (bytes, path) => {
      const body = Buffer.concat([Buffer.from('User-agent: *\nDisallow: '), bytes]);
      expect(typeof allowed(body, path)).toBe('boolean');
    }),
    { seed: 3, numRuns: 500 },
  );
});
