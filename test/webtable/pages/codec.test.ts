import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELD_CODECS, inlinkCodec } from '../../../webtable/pages/codec.js';
import type { Outlink } from '../../../webtable/index.js';

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

  it('keep URL and anchor whatever the object behind them says', () => {
    const [found] = outlinks.decode(stored(['http://a/', 'A', { url: 'http://evil/', anchor: 'E' }]));
    expect(found).toEqual({ url: 'http://a/', anchor: 'A' });
  });
});

describe('a number', () => {
  it('is what eight bytes say, wherever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 24 }), (bytes) => {
        const last = bytes.subarray(bytes.length - 8);
        const plain = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 8, 8).getFloat64(0);
        expect(FIELD_CODECS.score.decode(last)).toBe(plain);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('is refused where there are more or fewer', () => {
    for (const length of [0, 7, 9]) expect(() => FIELD_CODECS.score.decode(Buffer.alloc(length))).toThrow('no number');
  });
});

describe('an inlink', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(anchor, fc.double(), (text, score) => {
        expect(inlinkCodec.decode(inlinkCodec.encode({ anchor: text, score }))).toEqual({ anchor: text, score });
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('is written alike, whatever its anchor holds and however long it is', () => {
    const parts = fc.array(fc.constantFrom('a', '~', '\x7f', '\x80', 'ä', '中', '😀', '\ud800', 'x'.repeat(30)), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(parts, fc.double(), (texts, score) => {
        const head = Buffer.alloc(8);
        head.writeDoubleBE(score);
        const plain = Buffer.concat([head, Buffer.from(texts.join(''), 'utf8')]);
        expect(Buffer.compare(inlinkCodec.encode({ anchor: texts.join(''), score }), plain)).toBe(0);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('has the frozen format', () => {
    const bytes = Buffer.from(inlinkCodec.encode({ anchor: 'aä', score: 1 }));
    expect(bytes.toString('hex')).toBe('3ff000000000000061c3a4');
  });

  it('refuses what is too short, and text that is not UTF-8', () => {
    for (let length = 0; length < 8; length++) expect(() => inlinkCodec.decode(Buffer.alloc(length))).toThrow();
    expect(() => inlinkCodec.decode(Buffer.from('00000000000000ff'.repeat(2), 'hex').subarray(0, 16))).toThrow();
  });
});
