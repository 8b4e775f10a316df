import { describe, expect, it } from 'vitest';
import { parseRobots } from '../../packages/fetch/index.js';
import { words } from '../support/files/words.js';

// Patterns, names, redirects and answers of RFC 9309 are tested in test/fetch/robots.
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
});

describe('RFC 9309, 2.2.1 and 2.2.2: groups', () => {
  it('the example: all groups for one name are merged', () => {
    const robots = 'user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz';
    expect(allowedOf(robots, ['/foo', '/bar', '/baz', '/qux'])).toEqual(['/qux']);
  });

  it('the group for all robots counts only if no group has the name', () => {
    const robots = 'user-agent: *\ndisallow: /all\n\nuser-agent: ExampleBot\ndisallow: /one';
    expect(allowedOf(robots, ['/all', '/one'])).toEqual(['/all']);
    expect(allowedOf(robots, ['/all', '/one'], 'OtherBot')).toEqual(['/one']);
  });

  it('if there is neither, or no group at all, everything is allowed', () => {
    expect(allowed('user-agent: OtherBot\ndisallow: /', '/')).toBe(true);
    expect(allowed('', '/')).toBe(true);
    expect(allowed('# nothing here\n\n', '/')).toBe(true);
  });

  it('2.2.2: rules before the first name are ignored', () => {
    expect(allowed('disallow: /\nuser-agent: *\ndisallow: /a', '/b')).toBe(true);
  });
});

describe('RFC 9309, 5: its examples', () => {
  const simple = [
    'User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n',
    'User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n',
    'User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n',
    'User-Agent: quxbot\n\n',
  ].join('\n');
  const paths = words`/ /a.gif /example/ /example/page.html /example/allowed.gif /publications/ /a.gif?x`;

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
