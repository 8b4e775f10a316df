import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELD_CODECS } from '../../../webtable/pages/codec.js';
import type { Outlink, TextRange } from '../../../webtable/index.js';

const SEED = 11;
const anchor = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\0', '\n', 'ä', '中', '😀'), maxLength: 40 });
const link: fc.Arbitrary<Outlink> = fc.record(
  {
    url: anchor.map((path) => `http://a/${path}`),
    anchor,
    changeInterval: fc.nat(),
    lastModified: fc.nat(),
    priority: fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0),
  },
  { requiredKeys: ['url', 'anchor'], noNullPrototype: true },
);
const { outlinks } = FIELD_CODECS;
const stored = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), 'utf8');

describe('outlinks', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(link, { maxLength: 10 }), (links) => {
        expect(outlinks.decode(outlinks.encode(links))).toEqual(links);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('have the frozen format', () => {
    const links = [
      { url: 'http://a/', anchor: 'A' },
      { url: 'http://b/', anchor: '', priority: 0.5 },
      { url: 'http://c/', anchor: 'C' },
    ];
    expect(Buffer.from(outlinks.encode(links)).toString()).toBe(
      '["http://a/","A","http://b/","",{"priority":0.5},"http://c/","C"]',
    );
    expect(Buffer.from(outlinks.encode([])).toString()).toBe('[]');
  });

  it.each([
    [{}],
    [null],
    ['a'],
    [['http://a/']],
    [['a', 'b', 'c']],
    [[{}, 'a', 'b']],
    [['a', 1]],
    [['a', 'b', {}, {}]],
  ])('refuses %j', (value) => {
    expect(() => outlinks.decode(stored(value))).toThrow();
  });

  it('keep URL and anchor, whatever object holds them', () => {
    const [found] = outlinks.decode(stored(['http://a/', 'A', { url: 'http://evil/', anchor: 'E' }]));
    expect(found).toEqual({ url: 'http://a/', anchor: 'A' });
  });
});

describe('a number', () => {
  it('is read from eight bytes, wherever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 24 }), (bytes) => {
        const last = bytes.subarray(bytes.length - 8);
        const plain = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 8, 8).getFloat64(0);
        expect(FIELD_CODECS.score.decode(last)).toBe(plain);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('is rejected if there are more or fewer bytes', () => {
    for (const length of [0, 7, 9]) expect(() => FIELD_CODECS.score.decode(Buffer.alloc(length))).toThrow('no number');
  });
});

describe('ranges of a text', () => {
  const { textRanges } = FIELD_CODECS;
  const lengths = fc.tuple(
    fc.nat(2 ** 31),
    fc.integer({ min: 1, max: 2 ** 31 }),
    fc.constantFrom('prose', 'nosnippet'),
  );
  const ranges = fc.array(lengths, { maxLength: 20 }).map((all) => {
    let before = 0;
    return all.map(([gap, length, kind]): TextRange => {
      const start = before + gap;
      before = start + length;
      return { start, end: before, kind };
    });
  });

  it('come back as they were', () => {
    fc.assert(
      fc.property(ranges, (each) => {
        expect(textRanges.decode(textRanges.encode(each))).toEqual(each);
      }),
      { seed: SEED },
    );
  });

  it('have the frozen format', () => {
    const each: TextRange[] = [
      { start: 3, end: 10, kind: 'prose' },
      { start: 10, end: 110, kind: 'nosnippet' },
    ];
    expect([...textRanges.encode(each)]).toEqual([3, 28, 0, 0x91, 0x03]);
    expect(textRanges.encode([])).toHaveLength(0);
  });

  it.each([[[3]], [[0, 0]], [[0, 1]], [[0, 6]], [[0x80]], [[0, 0x80]], [[...Array<number>(12).fill(0xff), 1, 4]]])(
    'refuse %j',
    (bytes) => {
      expect(() => textRanges.decode(Uint8Array.from(bytes))).toThrow();
    },
  );

  it.each([
    [[{ start: 2, end: 2, kind: 'prose' }]],
    [[{ start: -1, end: 2, kind: 'prose' }]],
    [[{ start: 0.5, end: 2, kind: 'prose' }]],
    [[{ start: 0, end: 2, kind: 'other' }]],
    [[{ start: 0, end: 2 ** 53, kind: 'prose' }]],
    [
      [
        { start: 0, end: 3, kind: 'prose' },
        { start: 2, end: 4, kind: 'prose' },
      ],
    ],
  ])('are not read from %j of a parser', (each) => {
    expect(() => textRanges.encode(each as TextRange[])).toThrow(TypeError);
  });
});

describe('languageSource', () => {
  it('is one of two words', () => {
    for (const source of ['stated', 'detected'] as const)
      expect(FIELD_CODECS.languageSource.decode(FIELD_CODECS.languageSource.encode(source))).toBe(source);
    expect(() => FIELD_CODECS.languageSource.decode(Buffer.from('guessed'))).toThrow();
  });
});

describe('fields of JSON', () => {
  const { custom } = FIELD_CODECS;

  it('store a lone surrogate as U+FFFD, like every text', () => {
    const cell = custom.encode({ 'a\ud83d': ['\udc00', '\u{1f600}', '\\ud83d', '\\\ud83d', 'two\nlines'] });
    expect(custom.decode(cell)).toEqual({ 'a\ufffd': ['\ufffd', '\u{1f600}', '\\ud83d', '\\\ufffd', 'two\nlines'] });
    expect(Buffer.from(cell).toString()).not.toMatch(/[^\\]\\ud/);
    expect(outlinks.decode(outlinks.encode([{ url: 'http://a/', anchor: '\ud800' }]))).toEqual([
      { url: 'http://a/', anchor: '\ufffd' },
    ]);
  });
});
