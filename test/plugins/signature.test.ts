import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha1Signature, textProfileSignature } from '../../packages/plugins/index.js';

const url = 'http://a.com/';
const md5 = (text: string) => hash('md5', text);
const page = (content: string, text = '') => ({
  url,
  content: Buffer.from(content),
  sha1: hash('sha1', content),
  text,
});

describe('sha1Signature', () => {
  const sign = (content: string) => sha1Signature().signature(page(content));

  it('is the digest of the content, or without it of the URL', () => {
    expect(sign('abc')).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
    expect(sign('')).toBe(hash('sha1', url));
  });
});

describe('textProfileSignature', () => {
  const { signature } = textProfileSignature({
    signatureTextProfileMinTokenLen: 2,
    signatureTextProfileQuantRate: 0.01,
  });
  const sign = (text: string, content = 'c') => signature(page(content, text));

  it('is the digest of frequent words, most frequent first, then by their characters', () => {
    expect(sign('bbb aaa, Aaa! ccc-BBB ccc ccc ddd')).toBe(md5('2 aaa\n2 bbb\n2 ccc'));
    expect(sign('one two three')).toBe(md5('1 one\n1 three\n1 two'));
    expect(sign('eee '.repeat(5) + 'fff '.repeat(4))).toBe(md5('4 eee\n4 fff'));
  });

  it('rounds frequencies down to a step that grows with the highest', () => {
    const text = 'aaa '.repeat(420) + 'bbb '.repeat(7) + 'ccc '.repeat(3);
    expect(sign(text)).toBe(md5('420 aaa\n4 bbb'));
  });

  it('does not change with order, rare words and short words', () => {
    const words = 'alpha alpha beta beta gamma gamma';
    expect(sign(`${words} 12 seen 1234`)).toBe(sign('gamma beta alpha 99 gamma beta alpha 5678 x'));
    expect(sign(words)).not.toBe(sign(`${words} delta delta`));
  });

  it('includes letters of any script', () => {
    expect(sign('Привет ПРИВЕТ, 你好世界 你好世界')).toBe(md5('2 привет\n2 你好世界'));
  });

  it('falls back to the digest of the content', () => {
    expect(sign('')).toBe(hash('sha1', 'c'));
    expect(sign('a bc - !')).toBe(hash('sha1', 'c'));
    expect(sign('', '')).toBe(hash('sha1', url));
  });
});
