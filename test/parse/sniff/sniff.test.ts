import { describe, expect, it } from 'vitest';
import { sniffContentType } from '../../../packages/parse/index.js';

/** The type of a body, given as Latin-1, with the header of its answer. */
const sniff = (body: string, header?: string, more: Record<string, string> = {}) =>
  sniffContentType(Buffer.from(body, 'latin1'), '', {
    ...(header !== undefined && { 'content-type': header }),
    ...more,
  });

describe('a body of no known type', () => {
  const tags = '!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P'.split('|');

  it.each(tags)('is HTML if it begins with <%s', (tag) => {
    for (const [space, end] of [
      ['', ' '],
      ['\t\n\f\r ', '>'],
    ]) {
      expect(sniff(`${space}<${tag}${end}`)).toBe('text/html');
      expect(sniff(`${space}<${tag.toLowerCase()}${end}`)).toBe('text/html');
    }
    expect(sniff(`<${tag}`)).toBe('text/plain');
    expect(sniff(`<${tag}x`)).toBe('text/plain');
    expect(sniff(`\u000b<${tag}>`)).not.toBe('text/html');
  });

  it.each([
    ['<!--', 'text/html'],
    [' <?xml', 'text/xml'],
    ['<?XML', 'text/plain'],
    ['<urlset>', 'application/xml'],
    ['<rss version="2.0">', 'application/rss+xml'],
    ['<feed xmlns="http://www.w3.org/2005/Atom">', 'application/atom+xml'],
    ['%PDF-', 'application/pdf'],
    [' %PDF-', 'text/plain'],
    ['%!PS-Adobe-', 'application/postscript'],
    ['\xfe\xff\0a', 'text/plain'],
    ['\xff\xfea\0', 'text/plain'],
    ['\xef\xbb\xbf\0', 'text/plain'],
    ['\0\0\x01\0', 'image/x-icon'],
    ['\0\0\x02\0', 'image/x-icon'],
    ['BM', 'image/bmp'],
    ['GIF87a', 'image/gif'],
    ['GIF89a', 'image/gif'],
    ['RIFF\0\0\0\0WEBPVP', 'image/webp'],
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff', 'image/jpeg'],
    ['FORM\0\0\0\0AIFF', 'audio/aiff'],
    ['ID3', 'audio/mpeg'],
    ['OggS\0', 'application/ogg'],
    ['MThd\0\0\0\x06', 'audio/midi'],
    ['RIFF\0\0\0\0AVI ', 'video/avi'],
    ['RIFF\0\0\0\0WAVE', 'audio/wave'],
    ['\0\0\0\x18ftypmp42\0\0\0\0isommp42', 'video/mp4'],
    ['\0\0\0\x14ftypisom\0\0\0\0mp41', 'video/mp4'],
    ['\0\0\0\x14ftypisom\0\0\0\0heic', 'application/octet-stream'],
    ['\0\0\0\x18ftypisom\0\0\0\0mp41', 'application/octet-stream'],
    ['\x1a\x45\xdf\xa3\x42\x82\x84webm', 'video/webm'],
    ['\x1a\x45\xdf\xa3\x42\x82\x88matroska', 'application/octet-stream'],
    ['\x1f\x8b\x08', 'application/x-gzip'],
    ['PK\x03\x04', 'application/zip'],
    ['Rar \x1a\x07\0', 'application/x-rar-compressed'],
    ['', 'text/plain'],
    ['GIF88a', 'text/plain'],
  ])('%j is %s', (body, type) => {
    for (const header of [undefined, 'unknown/unknown', 'application/unknown; a=b', '*/*', 'rubbish', 'a/b/c']) {
      expect(sniff(body, header)).toBe(type);
    }
  });

  it('is binary if it has control characters that no text has', () => {
    for (let byte = 0; byte < 256; byte++) {
      const binary = byte <= 8 || byte === 0xb || (byte >= 0xe && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
      const expected = binary ? 'application/octet-stream' : 'text/plain';
      expect(sniff(`a${String.fromCharCode(byte)}`)).toBe(expected);
      expect(sniff(`${'a'.repeat(1444)}${String.fromCharCode(byte)}`)).toBe(expected);
      expect(sniff(`${'a'.repeat(1445)}${String.fromCharCode(byte)}`)).toBe('text/plain');
    }
  });
});

describe('a declared type', () => {
  it.each([
    ['text/css', '<html>', 'text/css'],
    ['text/plain; charset=utf-8', '\0', 'text/plain'],
    ['application/xhtml+xml', '<html>', 'application/xhtml+xml'],
    ['application/xml', '<rss>', 'application/xml'],
    ['image/png', 'GIF89a', 'image/gif'],
    ['image/png', '<html>', 'image/png'],
    ['image/png', 'PK\x03\x04', 'image/png'],
    ['image/svg+xml', 'GIF89a', 'image/svg+xml'],
    ['audio/mpeg', 'OggS\0', 'application/ogg'],
    ['video/webm', '<html>', 'video/webm'],
    ['text/html', '\x89PNG\r\n\x1a\n', 'text/html'],
    ['TEXT/HTML;charset="a,b/c"', 'x', 'text/html'],
    ['text/css, text/html', 'x', 'text/html'],
    ['text/html, */*', 'x', 'text/html'],
    ['text/html, rubbish', 'x', 'text/html'],
    ['text/html;a="', 'x', 'text/html'],
  ])('%j of %j is %s', (header, body, type) => expect(sniff(body, header)).toBe(type));

  it.each([
    'text/plain',
    'text/plain; charset=ISO-8859-1',
    'text/plain; charset=iso-8859-1',
    'text/plain; charset=UTF-8',
  ])('%s may be the default of a server for any file', (header) => {
    expect(sniff('a\0', header)).toBe('application/octet-stream');
    expect(sniff('\x89PNG\r\n\x1a\n', header)).toBe('application/octet-stream');
    expect(sniff('<html>', header)).toBe('text/plain');
    expect(sniff('\xff\xfea\0', header)).toBe('text/plain');
  });

  it('is that of the protocol without a header', () => {
    expect(sniffContentType(Buffer.from('x'), 'text/css')).toBe('text/css');
    expect(sniffContentType(Buffer.from('\0'), 'text/plain')).toBe('text/plain');
  });
});

describe('nosniff', () => {
  const nosniff = { 'x-content-type-options': 'NoSniff, x' };

  it('keeps the declared type', () => {
    expect(sniff('a\0', 'text/plain', nosniff)).toBe('text/plain');
    expect(sniff('<rss>', 'text/html', nosniff)).toBe('text/html');
    expect(sniff('GIF89a', 'image/png', nosniff)).toBe('image/png');
    expect(sniff('<html>', 'application/octet-stream', nosniff)).toBe('application/octet-stream');
  });

  it('does not make a page of a body without a type', () => {
    for (const body of ['<html>', '<?xml', '%PDF-']) expect(sniff(body, undefined, nosniff)).toBe('text/plain');
    expect(sniff('GIF89a', undefined, nosniff)).toBe('image/gif');
  });

  it('counts only as the first value', () => {
    expect(sniff('a\0', 'text/plain', { 'x-content-type-options': 'x, nosniff' })).toBe('application/octet-stream');
  });
});

describe('HTML that may be a feed', () => {
  const rdf = '<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">';

  it.each([
    ['<rss>', 'application/rss+xml'],
    [' \t\r\n<rss version="2.0">', 'application/rss+xml'],
    ['\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a > b -->\n<!DOCTYPE rss><rss', 'application/rss+xml'],
    ['<feed xmlns="x">', 'application/atom+xml'],
    [rdf, 'application/rss+xml'],
    [rdf.replace('purl', 'x'), 'text/html'],
    [rdf.replace('w3', 'x'), 'text/html'],
    ['<RSS>', 'text/html'],
    ['x<rss>', 'text/html'],
    ['<html><rss>', 'text/html'],
    ['<!-- <rss>', 'text/html'],
    ['<?xml <rss>', 'text/html'],
    ['<!--><rss>', 'text/html'],
    ['', 'text/html'],
    ['<', 'text/html'],
    [`<!--${' '.repeat(1500)}--><rss>`, 'text/html'],
  ])('%j is %s', (body, type) => expect(sniff(body, 'text/html; charset=utf-8')).toBe(type));
});

describe('a sitemap or a feed', () => {
  it.each([
    ['<urlset xmlns="x">', 'application/xml'],
    ['\xef\xbb\xbf \n<?xml version="1.0"?><!-- <html> --><sm:SitemapIndex>', 'application/xml'],
    ['<?xml version="1.0"?>\n<rss>', 'application/rss+xml'],
    ['<feed>', 'application/atom+xml'],
  ])('is distinguished from HTML and plain text: %j', (body, type) => {
    for (const declared of ['text/html', 'text/html; charset=utf-8', 'text/plain', 'text/plain; charset=koi8-r']) {
      expect(sniff(body, declared)).toBe(type);
      expect(sniff(body, declared, { 'x-content-type-options': 'nosniff' })).toBe(declared.split(';')[0]);
    }
    expect(sniff(body, 'binary/octet-stream')).toMatch(/xml$/);
  });

  it.each(['<urlsets>', 'x<urlset>', '<p><urlset>', '<!-- <urlset>', 'see <rss>'])('is not %j', (body) => {
    expect(sniff(body, 'text/plain')).toBe('text/plain');
    expect(sniff(body, 'text/html')).toBe('text/html');
  });
});
