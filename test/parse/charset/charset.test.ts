import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../packages/parse/index.js';
import { parsePage } from '../../support/parsing/parse-page.js';

const bytes = (text: string, encoding: BufferEncoding = 'latin1') => Buffer.from(text, encoding);
const charsetOf = (content: Uint8Array, header?: string) => decodeText(content, header, 'windows-1252').charset;

describe('decodeText', () => {
  it('uses byte order mark, header, page, validity and fallback, in this order', () => {
    const page = '<meta charset=koi8-r>';
    expect(charsetOf(bytes(`\xef\xbb\xbf${page}`), 'text/html; charset=shift_jis')).toBe('utf-8');
    expect(charsetOf(bytes(page), 'text/html; charset=shift_jis')).toBe('shift_jis');
    expect(charsetOf(bytes(page), 'text/html')).toBe('koi8-r');
    expect(charsetOf(bytes('gr\u00fcn', 'utf8'))).toBe('utf-8');
    expect(decodeText(bytes('gr\xfcn'), undefined, 'latin1')).toEqual({
      text: 'grün',
      charset: 'windows-1252',
      charsetSource: 'default',
    });
    expect(decodeText(bytes('\xe1'), undefined, 'iso-8859-7').text).toBe('α');
  });

  it('decodes by each byte order mark and removes it', () => {
    expect(decodeText(bytes('\ufeffä', 'utf8'), undefined, 'latin1')).toMatchObject({ text: 'ä', charset: 'utf-8' });
    expect(decodeText(bytes('\ufeffä', 'utf16le'), undefined, 'latin1')).toMatchObject({
      text: 'ä',
      charset: 'utf-16le',
    });
    expect(decodeText(bytes('\ufeffä', 'utf16le').swap16(), undefined, 'latin1').text).toBe('ä');
  });

  it.each([
    ['text/html;charset=GBK', 'gbk'],
    ['text/html; Charset="gbk"', 'gbk'],
    ['text/html; boundary=x; charset = gbk', 'utf-8'],
    ['text/html; charset=nonsense', 'utf-8'],
    ['text/html; charset=utf-7', 'utf-8'],
    ['text/html; xcharset=gbk', 'utf-8'],
  ])('reads the header %s', (header, expected) => expect(charsetOf(bytes('a'), header)).toBe(expected));

  it('ignores labels of absurd length', () => {
    expect(charsetOf(bytes('a'), `text/html; charset=${'x'.repeat(60_000)}`)).toBe('utf-8');
  });

  it('decodes the high half of windows-1252 by the Encoding Standard', () => {
    expect(decodeText(bytes('\x80\x81\x93\x9f\xe9'), 'a/b;charset=iso-8859-1', 'utf-8').text).toBe('€\u0081“Ÿé');
  });

  it('knows encodings that TextDecoder may lack', () => {
    expect(decodeText(bytes('\xaa\xbaA'), 'a/b;charset=iso-8859-16', 'utf-8').text).toBe('ȘșA');
    expect(decodeText(bytes('A\x80\xff'), 'a/b;charset=x-user-defined', 'utf-8').text).toBe('A\uf780\uf7ff');
    expect(decodeText(bytes('<script>'), 'a/b;charset=HZ-GB-2312', 'utf-8')).toEqual({
      text: '\ufffd',
      charset: 'replacement',
      charsetSource: 'header',
    });
    expect(decodeText(bytes(''), 'a/b;charset=replacement', 'utf-8').text).toBe('');
  });

  it('treats UTF-8 that was cut within a character as UTF-8', () => {
    const whole = bytes('aä€😀', 'utf8');
    for (let length = 3; length <= whole.length; length++) {
      expect(charsetOf(whole.subarray(0, length))).toBe('utf-8');
    }
    expect(charsetOf(bytes('a\xe4b'))).toBe('windows-1252');
    expect(charsetOf(bytes('caf\xe9'))).toBe('windows-1252');
    expect(charsetOf(bytes('\x80'))).toBe('windows-1252');
  });

  it('never throws for bytes, but does for an unknown fallback', () => {
    expect(decodeText(bytes('\xff\xc0'), 'a/b;charset=utf-8', 'latin1').text).toBe('\ufffd\ufffd');
    expect(() => decodeText(bytes('\xff'), undefined, 'klingon')).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }) as Error,
    );
  });
});

describe('the encoding that a page names', () => {
  it.each([
    ['<meta charset="gbk">', 'gbk'],
    ["<META CHARSET='GBK' >", 'gbk'],
    ['<meta/charset=gbk/>', 'utf-8'],
    ['<meta/charset="gbk"/>', 'gbk'],
    ['<meta charset=gbk', 'utf-8'],
    ['<metacharset=gbk>', 'utf-8'],
    ['<meta charset=nonsense><meta charset=gbk>', 'gbk'],
    ['<meta content="text/html; charset=gbk" http-equiv="Content-Type">', 'gbk'],
    ['<meta http-equiv=content-type content="charset=\'gbk\'">', 'gbk'],
    ['<meta http-equiv=content-type content="charset is charset = gbk;x">', 'gbk'],
    ['<meta content="text/html; charset=gbk">', 'utf-8'],
    ['<meta http-equiv=refresh content="text/html; charset=gbk">', 'utf-8'],
    ['<meta charset=gbk charset=big5>', 'gbk'],
    ['<!-- <meta charset=gbk> --><meta charset=big5>', 'big5'],
    ['<!--><meta charset=gbk>-->', 'gbk'],
    ['<!-- <meta charset=gbk>', 'utf-8'],
    ['<a title="<meta charset=gbk>"><meta charset=big5>', 'big5'],
    ['<a title=\'>\' x = "<meta charset=gbk>" y><meta charset=big5>', 'big5'],
    ['</a title="<meta charset=gbk>"><meta charset=big5>', 'big5'],
    ['<!doctype "><meta charset=gbk>', 'gbk'],
    ['<?x <meta charset=gbk>', 'utf-8'],
    ['<script>"<meta charset=gbk>"</script>', 'gbk'],
    ['a < b <meta charset=gbk>', 'gbk'],
    ['<meta =charset=gbk>', 'utf-8'],
    ['<meta charset=utf-16le>', 'utf-8'],
    ['<meta charset=x-user-defined>', 'windows-1252'],
    ['<?xml version="1.0" encoding="iso-8859-2"?>', 'iso-8859-2'],
    ["<?xml version='1.0' encoding = 'iso-8859-2'?><meta charset=gbk>", 'gbk'],
    ['<?xml encoding="utf-16"?>', 'utf-8'],
    [' <?xml encoding="gbk"?>', 'utf-8'],
    ['<\0?\0x\0m\0', 'utf-16le'],
    ['\0<\0?\0x\0m', 'utf-16be'],
  ])('%j is %s', (page, expected) => expect(charsetOf(bytes(page))).toBe(expected));

  it('is looked for in the first 1024 bytes', () => {
    const tag = '<meta charset="gbk">';
    expect(charsetOf(bytes(tag.padStart(1024)))).toBe('gbk');
    expect(charsetOf(bytes(tag.padStart(1025)))).toBe('utf-8');
  });

  it('is looked for in a view of a larger buffer', () => {
    expect(charsetOf(new Uint8Array(bytes('<meta charset=gbk><meta charset=big5>')).subarray(18))).toBe('big5');
  });
});

describe('the encoding that a meta element names after the first 1024 bytes', () => {
  const late = (before: string, meta: string) =>
    Buffer.concat([bytes(`<head>${before}<style>${'a{}'.repeat(400)}</style>${meta}`)]);
  const gbk = bytes('<p>\xc4\xe3\xba\xc3\x954\xc60</p>');
  const read = (page: Uint8Array, header?: string) =>
    parsePage(page, header === undefined ? {} : { headers: { 'content-type': header } });

  it.each([
    ['<meta charset=gbk>'],
    ['<meta http-equiv=Content-Type content="text/html; charset=gb2312">'],
    ['<meta charset=nonsense><meta content="charset=gbk" http-equiv=content-type>'],
    ['<meta charset=nonsense content="charset=gbk" http-equiv=content-type>'],
    ['<noscript><meta charset=gbk></noscript>'],
    [
      '<title><meta charset=big5></title><script>"<meta charset=big5>"</script><!--<meta charset=big5>--><meta charset=gbk>',
    ],
    ['</head><body><table><tr><td><meta charset=gbk></table>'],
    ['<b><p></b><meta charset=gbk>'],
  ])('is the one of the page: %s', (meta) => {
    const page = read(Buffer.concat([late('', meta), gbk]));
    expect(page).toMatchObject({ charset: 'gbk', charsetSource: 'meta' });
    expect(page.text).toContain('\u4f60\u597d\u{20c7a}');
  });

  it('counts after a comment of any length', () => {
    expect(
      read(Buffer.concat([bytes(`<!--${' '.repeat(100_000)}-->`), bytes('<meta charset=windows-1251>\xcf')])),
    ).toMatchObject({
      text: '\u041f',
      charset: 'windows-1251',
    });
  });

  it('takes precedence over one that the prescan found outside of an element', () => {
    const page = late('<script>"<meta charset=koi8-r>"</script>', '<meta charset=gbk>');
    expect(read(Buffer.concat([page, gbk])).text).toContain('\u4f60\u597d');
    expect(read(late('<meta charset=koi8-r>', '<meta charset=gbk>')).charset).toBe('koi8-r');
  });

  it('yields to byte order mark and header', () => {
    const page = late('', '<meta charset=gbk>');
    expect(read(Buffer.concat([bytes('\xef\xbb\xbf'), page]))).toMatchObject({
      charset: 'utf-8',
      charsetSource: 'byte-order-mark',
    });
    expect(read(page, 'text/html; charset=koi8-r')).toMatchObject({ charset: 'koi8-r', charsetSource: 'header' });
  });

  it('is never UTF-16, in which its tags could not be read', () => {
    expect(read(late('', '<meta charset=utf-16>')).charset).toBe('utf-8');
    expect(read(Buffer.concat([late('', '<meta charset=utf-16le>'), bytes('\xc3\xa4')])).text).toContain('ä');
    expect(read(late('', '<meta charset=x-user-defined>')).charset).toBe('windows-1252');
    const wide = Buffer.from(`<?xml version="1.0"?>${late('', '<meta charset=gbk>').toString('latin1')}`, 'utf16le');
    expect(read(wide).charset).toBe('utf-16le');
  });

  it('does not count in text that is no element of the page', () => {
    for (const meta of ['<textarea><meta charset=gbk></textarea>', '<iframe srcdoc="<meta charset=gbk>"></iframe>']) {
      expect(read(late('', `${meta}ä`)).charset, meta).toBe('windows-1252');
    }
  });

  it('is distinguished by its source', () => {
    expect(read(bytes('<meta charset=gbk>')).charsetSource).toBe('meta');
    expect(read(bytes('<?xml version="1.0" encoding="gbk"?>')).charsetSource).toBe('xml-declaration');
    expect(read(bytes('a')).charsetSource).toBe('valid-utf-8');
    expect(read(bytes('\xff')).charsetSource).toBe('default');
  });
});
