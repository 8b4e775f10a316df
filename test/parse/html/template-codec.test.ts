import { expect, test } from 'vitest';
import {
  learnSite,
  packTemplate,
  unpackTemplate,
  type PageTraits,
  type SiteTemplate,
} from '../../../packages/parse/index.js';

/** A page whose blocks are prose that the model refuses, each in a place of its own. */
function page(places: number): PageTraits {
  const body = { parent: -1, tagName: 'body', classes: [] };
  const parts = Array.from({ length: places }, (_, i) => ({ parent: 0, tagName: 'div', classes: [`place-${i}-x`] }));
  const blocks = parts.map((_, i) => ({
    part: i + 1,
    hash: Math.imul(i, 7919),
    length: 50,
    code: 0,
    logit: -1.23456,
    isProse: true,
  }));
  return { isManual: false, parts: [body, ...parts], blocks };
}

test('a packed template is read back with rounded numbers', () => {
  const learned = learnSite(Array.from({ length: 20 }, () => page(30)));
  const found = unpackTemplate(packTemplate(learned))!;
  expect(found.classes).toEqual(learned.classes);
  expect(found.repeated).toEqual(learned.repeated);
  expect([found.pages, found.manuals, found.isManual]).toEqual([20, 0, false]);
  expect(packTemplate(found)).toEqual(packTemplate(learned));
});

test('a packed template has at most 2000 places', () => {
  const places = new Map(Array.from({ length: 1500 }, (_, i) => [i, { logit: -1.23456, pages: 9 }]));
  const layout = { pages: 10, refused: 0.123456, isArticles: true, places };
  const learned: SiteTemplate = { ...learnSite([]), layouts: new Map([1, 2, 3, 4].map((key) => [key, layout])) };
  const { layouts } = unpackTemplate(packTemplate(learned))!;
  expect([...layouts.values()].map((each) => each.places.size)).toEqual([500, 500, 500, 500]);
  expect(layouts.get(1)).toMatchObject({ refused: 0.123, pages: 10 });
  expect(layouts.get(1)!.places.get(0)).toEqual({ logit: -1.235, pages: 9 });
});

test.each([undefined, null, 1, {}, { ...(packTemplate(learnSite([])) as object), pages: 'x' }])(
  'a damaged template is none: %j',
  (json) => expect(unpackTemplate(json)).toBeUndefined(),
);
