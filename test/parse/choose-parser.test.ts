import { describe, expect, it } from 'vitest';
import { chooseParser, htmlParser, sniffContentType, textParser, xmlParser } from '../../packages/parse/index.js';
import type { Parser } from '../../packages/plugin-api/index.js';
import { PARSE_SETTINGS } from '../support/parsing/parse-page.js';

const fake = (...contentTypes: string[]): { parser: Parser } => ({
  parser: { contentTypes, parse: () => ({ kind: 'failed', code: 'fake' }) },
});

describe('chooseParser', () => {
  const [first, second, family] = [fake('text/html'), fake('text/html', 'a/b'), fake('text/*')];

  it('chooses the last parser that names the type', () => {
    expect(chooseParser([first, second], 'text/html')).toBe(second);
    expect(chooseParser([second, {}, first], 'text/html')).toBe(first);
    expect(chooseParser([first, second], 'a/b')).toBe(second);
  });

  it('chooses a family for types that no other parser names', () => {
    expect(chooseParser([first, family], 'text/html')).toBe(first);
    expect(chooseParser([family, first], 'text/csv')).toBe(family);
  });

  it('chooses a parser of XML for each XML type that no other parser names', () => {
    const xml = fake('+xml');
    for (const type of ['text/rss+xml', 'application/vnd.wap.xhtml+xml', 'image/svg+xml', 'a/+xml']) {
      expect(chooseParser([xml, family], type), type).toBe(xml);
    }
    expect(chooseParser([xml, fake('text/rss+xml')], 'text/rss+xml')).not.toBe(xml);
    for (const type of ['text/xml', 'text/rss-xml', 'text/rss+xml2']) {
      expect(chooseParser([xml, family], type), type).toBe(family);
    }
  });

  it('chooses none for other types', () => {
    for (const type of ['', 'text', 'texts/html', 'image/png', '/']) {
      expect(chooseParser([first, second, family], type)).toBeUndefined();
    }
  });

  it('finds the parsers for HTML, XML and text', () => {
    const plugins = [textParser, htmlParser, xmlParser].map((made) => ({ parser: made(PARSE_SETTINGS) }));
    expect(chooseParser(plugins, 'application/xhtml+xml')).toBe(plugins[1]);
    expect(chooseParser(plugins, 'text/plain')).toBe(plugins[0]);
    for (const type of ['text/xml', 'application/xml', 'text/rss+xml', 'application/x-rss+xml', 'text/atom+xml']) {
      expect(chooseParser(plugins, type), type).toBe(plugins[2]);
    }
  });
});

describe('sniffContentType', () => {
  it.each([
    ['text/css', '<html>', 'text/css'],
    ['', ' \n<!DOCTYPE HTML>', 'text/html'],
    ['', '\u00ef\u00bb\u00bf<html>', 'text/html'],
    ['application/octet-stream', '<p>x', 'text/html'],
    ['unknown/unknown', '<!-- x', 'text/html'],
    ['', '<pre>', 'text/plain'],
    ['', 'a <html>', 'text/plain'],
    ['', 'a\u00e4\tb\r\n', 'text/plain'],
    ['', '\u00ff\u00fea\u0000', 'text/plain'],
    ['', '%PDF-1.7', 'application/pdf'],
    ['', 'PK\u0003\u0004', 'application/zip'],
    ['application/octet-stream', '', 'application/octet-stream'],
    ['', '', 'text/plain'],
  ])('of %j and %j is %s', (declared, content, expected) => {
    expect(sniffContentType(Buffer.from(content, 'latin1'), declared)).toBe(expected);
  });
});

describe('textParser', () => {
  const parse = (content: Uint8Array, headers = {}) =>
    textParser({ ...PARSE_SETTINGS, parser: { ...PARSE_SETTINGS.parser, textLimit: 12 } }).parse({
      url: 'http://h.com/a.txt',
      content,
      contentType: 'text/plain',
      headers,
    });

  it('reads the text, and the headers', () => {
    expect(
      parse(Buffer.from('one\r\n  two\nthree four'), { 'x-robots-tag': 'noindex', 'content-language': 'en' }),
    ).toEqual({
      kind: 'success',
      title: '',
      text: 'one two thre',
      outlinks: [],
      robots: { noindex: true, nofollow: false, noarchive: false },
      metadata: {},
      charset: 'utf-8',
      charsetSource: 'valid-utf-8',
      language: 'en',
    });
  });

  it('detects no encoding in text that looks like HTML', () => {
    expect(parse(Buffer.from('<meta charset=gbk>'))).toMatchObject({ charset: 'utf-8' });
  });

  it('rejects an unknown fallback encoding', () => {
    const settings = { ...PARSE_SETTINGS, parser: { ...PARSE_SETTINGS.parser, characterEncodingDefault: 'x' } };
    expect(() => textParser(settings)).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }) as Error);
    expect(() => htmlParser(settings)).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }) as Error);
  });
});
