import { describe, expect, it } from 'vitest';
import { parseSeedLine } from '../../../packages/jobs/inject/seed-line.js';

const URL = 'http://a.com/';

describe('a seed line', () => {
  it('may be only a URL', () => {
    expect(parseSeedLine(URL)).toEqual({ url: URL, metadata: {} });
    expect(parseSeedLine(` \t ${URL} \r\n`)).toEqual({ url: URL, metadata: {} });
  });

  it('is skipped if it is empty or a comment', () => {
    for (const line of ['', '   ', '\t\t', '\r', '#', '# http://a.com/', '  # indented', '\ufeff']) {
      expect(parseSeedLine(line), JSON.stringify(line)).toBeUndefined();
    }
  });

  it('may begin with a byte order mark', () => {
    expect(parseSeedLine(`\ufeff${URL}`)).toEqual({ url: URL, metadata: {} });
  });

  it('has score, interval and metadata, with or without the prefix', () => {
    const line = `${URL}\tnutch.score=2.5\tfetchInterval=3600\tlang=en\tnutch.other=x`;
    const metadata = { lang: 'en', 'nutch.other': 'x' };
    expect(parseSeedLine(line)).toEqual({ url: URL, score: 2.5, fetchInterval: 3600, metadata });
    expect(parseSeedLine(`${URL}\tscore=-1e-3\tnutch.fetchInterval=0`)).toEqual({
      url: URL,
      score: -0.001,
      fetchInterval: 0,
      metadata: {},
    });
  });

  it('trims keys and values, splits at the first equals sign, and takes the last of two values', () => {
    const line = `${URL} \t a = b=c \t\t k=\tscore = 1 \tscore=2\ta=d=\t`;
    expect(parseSeedLine(line)).toEqual({ url: URL, score: 2, metadata: { a: 'd=', k: '' } });
  });

  it('may have a key of any name, such as __proto__', () => {
    const seed = parseSeedLine(`${URL}\t__proto__=x\tconstructor=y\tSCORE=3`) as { metadata: object };
    expect(Object.entries(seed.metadata)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['SCORE', '3'],
    ]);
    expect(JSON.stringify(seed.metadata)).toBe('{"__proto__":"x","constructor":"y","SCORE":"3"}');
  });

  it('is invalid if a token has no key or no equals sign', () => {
    for (const token of ['noequals', '=value', '=', ' = x', '-sitemap']) {
      expect(parseSeedLine(`${URL}\tok=1\t${token}`), token).toEqual({
        error: `"${token.trim()}" after the URL is not key=value`,
      });
    }
  });

  it('is invalid if a number cannot be parsed', () => {
    for (const value of ['', 'abc', '1,5', 'NaN', 'Infinity', '-Infinity', '1e999', '1 2']) {
      const error = `the score "${value}" is not a number`;
      expect(parseSeedLine(`${URL}\tscore=${value}`), value).toEqual({ error });
    }
    for (const value of ['', 'abc', '1.5', '-1', '+1', '1e3', '0x10', '9007199254740992', '٣']) {
      const error = `the fetchInterval "${value}" is not a whole number of seconds`;
      expect(parseSeedLine(`${URL}\tnutch.fetchInterval=${value}`), value).toEqual({ error });
    }
  });

  it('is invalid if a blank is in the place of the tab, or a note follows', () => {
    const blank = (key: string) => ({
      error: `a blank before ${key}=, where a tab must be; in a URL a blank is %20`,
    });
    expect(parseSeedLine('http://a.com/x score=3')).toEqual(blank('score'));
    expect(parseSeedLine('http://a.com/x   team = docs\tscore=3')).toEqual(blank('team'));
    expect(parseSeedLine('http://a.com/x\u00a0score=3')).toEqual(blank('score'));
    expect(parseSeedLine('http://a.com/x\tteam=docs score=3')).toEqual({
      error: '"team=docs score=3" has a blank where a tab must separate key=value',
    });
    const note = { error: 'a comment after the URL; it must be on a line of its own' };
    expect(parseSeedLine('http://a.com/x # the front page')).toEqual(note);
    expect(parseSeedLine('http://a.com/x #note')).toEqual(note);
  });

  it('may have a blank in the URL, a fragment, and blanks in values', () => {
    expect(parseSeedLine('http://a.com/a b?q=1#c')).toEqual({ url: 'http://a.com/a b?q=1#c', metadata: {} });
    expect(parseSeedLine('http://a.com/\tnote=a b # c')).toEqual({
      url: 'http://a.com/',
      metadata: { note: 'a b # c' },
    });
  });
});
