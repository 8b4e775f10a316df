import { describe, expect, test } from 'vitest';
import { FINDERS } from '../../../packages/focus/candidates/finders.js';
import { createKeptTraits } from '../../../packages/focus/candidates/kept-traits.js';
import { createMostFrequent } from '../../../packages/focus/candidates/most-frequent.js';
import { createDistinct, createSample } from '../../../packages/focus/candidates/sample.js';
import { hashOf } from '../../../packages/util/index.js';
import { articles, cutBy, findIn, rulesOf, type GivenRow } from '../../support/focus/finder-rows.js';
import { runs } from '../../support/runs.js';

const SITE = 'http://www.example.com';
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const spread = (i: number): string => (Math.imul(i + 1, 0x9e3779b1) >>> 0).toString(36);

/** Rows that a hostile site may have; each URL is normalised. */
const HOSTILE: Readonly<Record<string, () => GivenRow[]>> = {
  'very many names of parameters': () =>
    numbers(runs(20_000, 100_000)).map((i) => ({ url: `${SITE}/?${spread(i)}=1`, signature: 'same' })),
  'names in each URL by the hundred': () =>
    numbers(runs(500, 2_000)).map((i) => ({
      url: `${SITE}/x?${numbers(100)
        .map((k) => `${spread(i * 100 + k)}=${k}`)
        .join('&')}`,
      signature: `${i}`,
    })),
  'values of 2 KB': () =>
    numbers(1_000).map((i) => ({ url: `${SITE}/x?v=${spread(i).repeat(300)}`, signature: `${i}` })),
  'names of 2 KB': () =>
    numbers(1_000).map((i) => ({ url: `${SITE}/x?${spread(i).repeat(300)}=1`, signature: `${i}` })),
  'escapes in names': () =>
    numbers(1_000).map((i) => ({ url: `${SITE}/x?%26%3D%3F%5B=${i}&%5D%5D%5B%5B=1&%3B;%00`, signature: `${i}` })),
  'signs of patterns in names': () =>
    numbers(1_000).map((i) => ({
      url: `${SITE}/(a+)+$/x?(a*)*$^.|+=${i}&\\d{1000}&$=1`.replace(/[|^\\{}]/g, encodeURIComponent),
      signature: `${i}`,
    })),
  'parameters that come again': () =>
    numbers(1_000).map((i) => ({ url: `${SITE}/x?a=${i}&a=${i % 7}&a&a=;a;a=1`, signature: `${i}` })),
  'empty names, and only separators': () =>
    numbers(1_000).map((i) => ({ url: `${SITE}/${'?&;=&&;;=='.repeat(1 + (i % 20))}${i}`, signature: `${i}` })),
  'separators in paths': () =>
    numbers(1_000).map((i) => ({ url: `${SITE}/;;a=${i};=;b;/;/&c=${i}/`, signature: `${i}` })),
  'paths of a thousand segments': () =>
    numbers(300).map((i) => ({ url: `${SITE}/${'a/'.repeat(1_000)}${i}`, signature: `${i % 150}` })),
  'empty segments': () =>
    numbers(1_000).map((i) => ({ url: `${SITE}//${'/'.repeat(i % 30)}${i}//x//`, signature: `${i}` })),
  'many hosts': () =>
    numbers(runs(4_000, 20_000)).map((i) => ({ url: `http://${spread(i)}.example.com/p?x=${i}`, signature: 'same' })),
  'many numbers in a path': () =>
    numbers(runs(500, 2_000)).map((i) => ({
      url: `${SITE}/${`${i}-`.repeat(40)}/${i}/${i}/${i}/${i}/${i}`,
      signature: `${i}`,
    })),
  'one document under all URLs': () =>
    numbers(runs(4_000, 20_000)).map((i) => ({ url: `${SITE}/${spread(i)}/${spread(i * 7)}/x`, signature: 'same' })),
  'pairs of documents in random places': () =>
    numbers(runs(4_000, 20_000)).map((i) => ({
      url: `${SITE}/${spread(i)}/${spread(i * 7)}/x`,
      signature: `${i >> 1}`,
      duplicateOf: 'http://[',
    })),
};

describe('hostile sites', () => {
  test.each(Object.keys(HOSTILE))('%s', { timeout: 120_000 }, (name) => {
    const rows = HOSTILE[name]!();
    const found = findIn(FINDERS, [...rows, ...articles(SITE)]);
    rulesOf(found);
    expect(JSON.stringify(found.map(({ evidence }) => evidence)).length).toBeLessThan(300_000);
    for (const { evidence, rows: cut } of found) {
      expect(JSON.stringify(evidence).length).toBeLessThan(10_000);
      expect(cut).toBeLessThanOrEqual(rows.length);
    }
    expect(
      cutBy(
        found.filter(({ rule }) => rule.kind === 'reject'),
        articles(SITE),
      ),
    ).toEqual([]);
    // With some pages that must be kept, no rule is found that rejects one.
    const kept = rows.slice(0, 50).map((row) => ({ ...row, isKept: true }));
    const careful = findIn(FINDERS, [...rows, ...articles(SITE), ...kept]);
    expect(
      cutBy(
        careful.filter(({ rule }) => rule.kind === 'reject'),
        kept,
      ),
    ).toEqual([]);
  });
});

describe('the bounded memory of finders', () => {
  test('holds the frequent names, in limited number', () => {
    const dropped: string[] = [];
    const held = createMostFrequent<{ rows: number; name: string }>(10, ({ name }) => dropped.push(name));
    for (const i of numbers(1_000)) {
      for (const name of [`rare ${i}`, 'frequent']) held.get(name, () => ({ rows: 0, name })).rows += 1;
    }
    const all = [...held.values()];
    expect(all.length).toBeLessThanOrEqual(10);
    expect(all.find(({ name }) => name === 'frequent')).toEqual({ name: 'frequent', rows: 1_000 });
    expect(all.length + dropped.length).toBe(1_001);
  });

  test('counts different texts, exactly while they are few', () => {
    const few = createDistinct();
    for (const i of numbers(1_000)) few.add(hashOf(`${i % 200}`));
    expect(few.count).toBe(200);
    const many = createDistinct();
    for (const i of numbers(100_000)) many.add(hashOf(`text ${i}`));
    expect(many.count).toBeGreaterThan(75_000);
    expect(many.count).toBeLessThan(125_000);
  });

  test('samples a text everywhere or nowhere', () => {
    const sample = createSample();
    sample.halve();
    sample.halve();
    const inside = numbers(10_000).filter((i) => sample.has(hashOf(`${i}`)));
    expect(inside.length / 10_000).toBeCloseTo(0.25, 1);
    expect(sample.one).toBe(4);
  });

  test('finds every trait that must be kept, and hardly any other among a million', () => {
    const traits = createKeptTraits();
    for (const i of numbers(19_999)) traits.add(`kept ${i}`);
    expect(numbers(50_000).filter((i) => traits.has(`kept ${i}`))).toHaveLength(19_999);
    for (const i of numbers(300_000)) traits.add(`kept ${i}`);
    expect(numbers(300_000).every((i) => traits.has(`kept ${i}`))).toBe(true);
    const others = numbers(20_000).filter((i) => traits.has(`other ${i}`)).length;
    expect(others).toBeLessThan(400);
  });
});
