import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findEncoding } from '../../../packages/parse/charset/encodings.js';
import { runs } from '../../support/runs.js';

/**
 * The decoded code space of each encoding, as SHA-256 cut to 32 digits: every sequence of {@link codeSpace} on a line, U+FFFD alone for a
 * malformed one. The digests were made with independent codecs: text-encoding 0.7.0 from npm, which has the index files of the Encoding
 * Standard, and ICU 78 for gbk and gb18030, because the Standard changed 18 of their codes in 2023.
 *
 * Python 3.11 decodes the same, with these differences:
 * - cp949 (euc-kr), iso-8859-*, cp866, koi8_r, mac_roman, mac_cyrillic, cp1256: none.
 * - cp874, cp1250 to cp1258: bytes without a character, 1 to 23 of each, are C1 controls in the Standard where Python fails; cp1255 also
 *   lacks 0xCA.
 * - koi8_u: 0xAE and 0xBE are \u045e and \u040e in the Standard, box drawings in Python.
 * - big5hkscs: 11 punctuation marks in 0xA145 to 0xA247 differ; the 192 sequences from 0x877A on that HKSCS-2008 added, and Big5-ETEN, are
 *   only in the Standard.
 * - gb18030: 0x80 is the euro sign, which Python lacks, 0xA3A0 the ideographic space; 18 codes of 2023 and two of 2005.
 * - euc_jp, iso2022_jp_ext: 7 and 6 signs (\uff5e for \u301c and the like); row 13 and the IBM extensions are only in the Standard.
 * - cp932 (shift_jis): 0xA0 and 0xFD to 0xFF are private characters in Python, errors in the Standard.
 */
const DIGESTS: readonly (readonly [name: string, digest: string])[] = [
  ['ibm866', '5a856a1cc72f92ffbb8ce0162a6bfdeb'],
  ['iso-8859-2', '5e9a0811bf08daf58df287360cbdaf47'],
  ['iso-8859-3', '6555258335579b899c0c622ba0528f4e'],
  ['iso-8859-4', '08e4e0f402fac5883b8573a2cd95f808'],
  ['iso-8859-5', 'df3e28bbb226e1cd358fb027479c723d'],
  ['iso-8859-6', 'ac5e5b97608b416e246b69f432529465'],
  ['iso-8859-7', '9f68204513e94f00597667930e375d4e'],
  ['iso-8859-8', '16b842dbf1779d836c12a72869186956'],
  ['iso-8859-8-i', '16b842dbf1779d836c12a72869186956'],
  ['iso-8859-10', '34e36339240c8d8b8d806076f2a2520a'],
  ['iso-8859-13', '3bac58e9cc8e52cd4df446e0d7daf8d4'],
  ['iso-8859-14', 'ec2339ae801d510724002c02aa6408fd'],
  ['iso-8859-15', 'e3f0667fe89309a7a28ff1aedf7c57ee'],
  ['iso-8859-16', 'c68ff962b68531cb6405f331efa26baf'],
  ['koi8-r', 'e18c51434de748aab4b8f2f9992422dd'],
  ['koi8-u', '09ca3df06fe07cf28f82ffec077644e5'],
  ['macintosh', 'a6af4ef8837ca7fcfc64bb66b0a02b65'],
  ['windows-874', '328a1a499919669ed62ec06063b0dfe3'],
  ['windows-1250', '697d3e9c20631e29a0560863a139067b'],
  ['windows-1251', '046cabf3dd731926e96942c89b8f4acc'],
  ['windows-1252', 'b45da48fcc29fa511892fc703434d75b'],
  ['windows-1253', 'b86ba26ea99fb62200b6c15a1043ea9a'],
  ['windows-1254', '233441a35d0b7823beb38db16454a8c2'],
  ['windows-1255', '63cacbae4c945413fcd9af375b392813'],
  ['windows-1256', '8f0f0e8f96c6e90cc01fe554a051f617'],
  ['windows-1257', 'a2e34bb97e73154aa1bc2268e55c271d'],
  ['windows-1258', '7ab8842d941a6717aacec13ab4318947'],
  ['x-mac-cyrillic', 'b84eb464bfafed2870415356e89e5338'],
  ['x-user-defined', '87337a75680cce3d8274db1fbbc95a93'],
  ['gbk', '43a3ad8c910a5c7fad4c600c52d937c9'],
  ['gb18030', '43a3ad8c910a5c7fad4c600c52d937c9'],
  ['big5', 'c0af06578a191f14a814e6dee7ff9bfb'],
  ['euc-jp', '63ce81e1565a46f1674580246c4d2310'],
  ['iso-2022-jp', '2398e824477c68328171dca28604cfe0'],
  ['shift_jis', 'b9c7079ee98e33afbea0c9254027d506'],
  ['euc-kr', '4e9d18d58b6a0d905c5466a5cbc88025'],
];

/** Every single byte, and every longer sequence that the decoders distinguish. */
function* codeSpace(name: string): Generator<readonly number[]> {
  const range = function* (from: number, to: number) {
    for (let value = from; value <= to; value++) yield value;
  };
  for (const a of range(0, 255)) if (a !== 0x1b || name !== 'iso-2022-jp') yield [a];
  if (name === 'iso-2022-jp') {
    const ascii = [0x1b, 0x28, 0x42];
    for (const set of [0x42, 0x4a, 0x49])
      for (const a of range(0, 255)) if (a !== 0x1b) yield [0x1b, 0x28, set, a, ...ascii];
    for (const set of [0x40, 0x42])
      for (const a of range(0x20, 0x7f)) for (const b of range(0x20, 0x7f)) yield [0x1b, 0x24, set, a, b, ...ascii];
  } else if (/^(?:gbk|gb18030|big5|euc-jp|euc-kr|shift_jis)$/.test(name)) {
    for (const a of range(0x80, 255)) for (const b of range(0, 255)) yield [a, b];
    if (name === 'euc-jp') for (const a of range(0, 255)) for (const b of range(0, 255)) yield [0x8f, a, b];
    if (name.startsWith('gb'))
      for (const a of range(0x81, 254))
        for (const b of range(0x30, 0x39))
          for (const c of range(0x81, 254)) for (const d of range(0x30, 0x39)) yield [a, b, c, d];
  }
}

const spaces = new Map<string, readonly string[]>();

/** The decoded sequences, each on a line: no decoder reads a line feed as part of a sequence. */
function decodedSpace(name: string): readonly string[] {
  const known = spaces.get(name) ?? decodeSpace(name);
  spaces.set(name, known);
  return known;
}

function decodeSpace(name: string): string[] {
  const bytes: number[] = [];
  for (const sequence of codeSpace(name)) bytes.push(...sequence, 0x0a);
  const lines = findEncoding(name)!.decode(Uint8Array.from(bytes)).split('\n');
  return lines.map((line) => (line.includes('\ufffd') ? '\ufffd' : line));
}

describe('the tables of the Encoding Standard', () => {
  it.each(DIGESTS)('%s, over its whole code space', (name, digest) => {
    const found = createHash('sha256').update(decodedSpace(name).join('\n')).digest('hex').slice(0, 32);
    expect(found).toBe(digest);
  });

  it.each([
    ['euc-kr', 'b0a1 8141 c652 c8fe', '\uac00\uac02\ud7a3\ud79d'],
    ['big5', 'a440 fba8 c6e7 f9d9', '\u4e00\u{26c81}\u3041\u58bb'],
    ['gbk', '81308130 9534c630 8139ef30', '\u0080\u{20c7a}\u3401'],
    ['koi8-u', 'ae be', '\u045e\u040e'],
  ])('%s has what tables of Node lack: %s', (name, hex, expected) => {
    expect(findEncoding(name)!.decode(Buffer.from(hex.replace(/ /g, ''), 'hex'))).toBe(expected);
  });

  it('have all 11,172 Hangul syllables, and the characters of Hong Kong', () => {
    const hangul = new Set(decodedSpace('euc-kr').filter((character) => /^[\uac00-\ud7a3]$/.test(character)));
    expect(hangul.size).toBe(11_172);
    const big5 = new Set(decodedSpace('big5'));
    for (const character of '\u5497\u306e\u568f\u30a2\u0416') expect(big5, character).toContain(character);
  });
});

describe('a query', () => {
  it.each([
    ['euc-kr', '%B0%A1', '\uac00'],
    ['big5', '%A4@', '\u4e00'],
    ['gbk', '%C4%E3', '\u4f60'],
    ['gbk', '%80', '\u20ac'],
    ['gb18030', '%954%C60', '\u{20c7a}'],
    ['shift_jis', '%83\\', '\u30bd'],
    ['iso-2022-jp', '%1B$B%=%1B(B', '\u30bd'],
    ['windows-1251', '%CF', '\u041f'],
    ['x-user-defined', '%80', '\uf780'],
    ['iso-8859-5', '%26%238364%3B', '\u20ac'],
    ['windows-1251', 'a%20%22%23%27%3C%3Eb%26%23128512%3B', 'a "#\'<>b\u{1f600}'],
  ])('is escaped in %s: %s', (name, expected, query) => {
    expect(findEncoding(name)!.encodeQuery!(query).toUpperCase()).toBe(expected.toUpperCase());
  });

  it('is in UTF-8 if the encoding has no encoder', () => {
    for (const name of ['utf-8', 'utf-16le', 'utf-16be', 'replacement']) {
      expect(findEncoding(name)!.encodeQuery, name).toBeUndefined();
    }
  });

  it('decodes to its original text in every encoding that has all its characters', () => {
    for (const [name] of DIGESTS) {
      // Its sequences contain the percent sign, which queries do not escape.
      if (name === 'iso-2022-jp') continue;
      const encoding = findEncoding(name)!;
      const characters = [...new Set(decodedSpace(name))].filter((text) => /^[^\0-\x7f\ufffd]$/u.test(text));
      for (let i = 0; i < characters.length; i += Math.ceil(characters.length / runs(500, 2000))) {
        const escaped = encoding.encodeQuery!(characters[i]!);
        if (escaped.startsWith('%26%23')) continue;
        const bytes = Buffer.from(unescape(escaped), 'latin1');
        expect(encoding.decode(bytes), `${name} ${escaped}`).toBe(characters[i]);
      }
    }
  });
});
