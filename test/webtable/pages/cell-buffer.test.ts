import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CellBuffer } from '../../../webtable/pages/cell-buffer.js';
import { FIELD_CODECS } from '../../../webtable/pages/codec.js';
import type { CellCodec } from '../../../webtable/pages/cell-codec.js';
import { STATUSES } from '../../../webtable/schema.js';
import { READABLE_CODECS } from '../../support/readable-codec.js';

const SEED = 48;
const word = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', 'ä', '中', '😀', '\ud800', '\udfff'),
  maxLength: 30,
});
const text = fc.oneof(
  word,
  fc.tuple(word, fc.nat(9_000)).map(([unit, times]) => unit.repeat(times)),
);
const hash = fc.maxSafeNat();
const count = fc.nat(2 ** 32 - 1);
const location = fc.record({
  segment: fc.string({ unit: fc.constantFrom('a', '0', '-', ' '), minLength: 1, maxLength: 30 }),
  offset: fc.nat(),
  length: fc.nat(),
});
const digest = fc.record({
  basis: count,
  length: count,
  linkCount: count,
  externalLinkCount: count,
  content: hash,
  blocks: hash,
  title: hash,
  description: hash,
  canonical: hash,
  links: hash,
  externalLinks: hash,
  noindex: fc.boolean(),
  titleText: word,
});
const failing = fc.record(
  { since: hash, missingSince: hash, logged: fc.constantFrom('no', 'status', 'gone') },
  { requiredKeys: ['since', 'logged'] },
);
const ranges = fc.array(fc.tuple(fc.nat(2 ** 31), fc.integer({ min: 1, max: 2 ** 31 }), fc.boolean())).map((all) => {
  let end = 0;
  return all.map(([gap, length, isProse]) => {
    const start = end + gap;
    end = start + length;
    return { start, end, kind: isProse ? ('prose' as const) : ('nosnippet' as const) };
  });
});
const link = fc.record(
  { url: word, anchor: word, priority: fc.double({ min: 0, max: 1, noNaN: true }), lastModified: hash },
  { requiredKeys: ['url', 'anchor'], noNullPrototype: true },
);
const VALUES: { readonly [F in keyof typeof READABLE_CODECS]: fc.Arbitrary<unknown> } = {
  status: fc.constantFrom(...STATUSES),
  score: fc.double(),
  text,
  headings: fc.array(word),
  outlinks: fc.array(link, { maxLength: 200 }),
  contentLocation: location,
  contentVersions: fc.array(location, { minLength: 1 }),
  textRanges: ranges,
  digest,
  logged: fc.record(
    {
      stands: fc.constantFrom('page', 'redirect'),
      http: fc.nat(999),
      isFirst: fc.constant(true),
      seenAt: hash,
      bodyAt: hash,
      target: hash,
      digest,
      suspect: digest,
      failing,
    },
    { requiredKeys: [] },
  ),
};
const cell = fc.oneof(
  ...(Object.keys(VALUES) as (keyof typeof VALUES)[]).map((field) => VALUES[field].map((value) => ({ field, value }))),
);

it('holds the bytes of each codec, one cell after another, while it grows', () => {
  const cells = new CellBuffer();
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 12 }), (all) => {
      cells.clear();
      const views = all.map(({ field, value }) => {
        const start = cells.end;
        (FIELD_CODECS[field] as CellCodec<unknown>).encodeInto(cells, value);
        return cells.bytes.subarray(start, cells.end);
      });
      for (const [i, { field, value }] of all.entries()) {
        const expected = (READABLE_CODECS[field] as (value: unknown) => Buffer)(value);
        if (!expected.equals(views[i]!)) expect({ field, bytes: views[i] }).toEqual({ field, bytes: expected });
      }
    }),
    { seed: SEED, numRuns: 300 },
  );
});

it('writes each value of its own as the same bytes', () => {
  fc.assert(
    fc.property(cell, ({ field, value }) => {
      const bytes = (FIELD_CODECS[field] as CellCodec<unknown>).encode(value);
      expect((READABLE_CODECS[field] as (value: unknown) => Buffer)(value).equals(bytes)).toBe(true);
    }),
    { seed: SEED, numRuns: 300 },
  );
});
