import { expect, test } from 'vitest';
import { contentText } from '../../../bin/output/explanation-text.js';

const URL = 'https://example.com/docs/';
const site = (manuals: number) => ({ url: URL, number: 2, learnedAt: 0, pages: 50, manuals });

test.each([
  ['marked', true, undefined, 'as part of a manual: the page names a generator of manuals'],
  ['alone', false, undefined, 'as an article, alone: no template of its site is stored'],
  ['alone', false, site(9), `as an article, alone: it is not like the pages of ${URL}, template 2`],
  [
    'manual',
    true,
    site(9),
    `as part of a manual: 9 of 50 pages of ${URL} are part of a manual by themselves, template 2`,
  ],
  ['articles', false, site(0), `as an article: pages of its layout in ${URL} are articles, template 2`],
  [
    'unknown',
    false,
    site(1),
    `as an article, alone: only 1 of 50 pages of ${URL} is part of a manual by itself, template 2`,
  ],
  [
    'unknown',
    false,
    site(0),
    `as an article, alone: none of 50 pages of ${URL} is part of a manual by itself, template 2`,
  ],
] as const)('one sentence explains the main content of a page of kind %s', (kind, isManual, stored, text) => {
  expect(contentText({ kind, isManual, ...(stored && { site: stored }) })).toBe(text);
});
