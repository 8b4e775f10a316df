import { describe, expect, test } from 'vitest';
import { calendars } from '../../../packages/focus/candidates/calendars.js';
import { articles, cutBy, findIn, patternsOf, type GivenRow } from '../../support/focus/finder-rows.js';

const SITE = 'http://news.example.com';
const find = (rows: readonly GivenRow[]) => findIn([calendars], [...rows, ...articles(SITE)]);
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** A calendar without an end. Only its first months were fetched. */
const months = (path: string, count = 120, fetched = 25): GivenRow[] =>
  numbers(count).map((i) => ({
    url: `${SITE}${path}${1990 + Math.floor(i / 12)}/${(i % 12) + 1}`,
    ...(i < fetched && { signature: `month ${i}` }),
  }));

describe('calendars', () => {
  test('without end are rejected with all pages below them', () => {
    const rows = [...months('/events/'), ...months('/events/').map(({ url }) => ({ url: `${url}/some-event` }))];
    const found = find(rows);
    expect(patternsOf(found)).toEqual([{ regex: '^https?://[^/]+/events/\\d{1,10}/\\d{1,10}(?:[/?]|$)' }]);
    expect(found).toMatchObject([
      {
        reason: 'calendar',
        rows: 240,
        evidence: {
          section: '/events/…/…',
          only: 'all below',
          from: '/events/1990/1',
          to: '/events/1999/12',
          fetched: 25,
          relevant: 0,
        },
      },
    ]);
    expect(cutBy(found, rows)).toHaveLength(240);
    expect(
      cutBy(found, [
        { url: `${SITE}/events/about` },
        { url: `${SITE}/x/events/1990/1` },
        { url: `${SITE}/?/events/1990/1` },
      ]),
    ).toEqual([]);
  });

  test('with articles below the days are rejected up to the days only', () => {
    const days = numbers(90).map((i) => `/2026/${1 + (i % 9)}/${1 + Math.floor(i / 9)}`);
    const rows: GivenRow[] = days.flatMap((day, i) => [
      { url: `${SITE}${day}/`, ...(i < 30 && { signature: day }) },
      { url: `${SITE}${day}/a-story`, signature: `story of ${day}`, relevant: true },
    ]);
    const found = find(rows);
    expect(patternsOf(found)).toEqual([{ regex: '^https?://[^/]+/2026/\\d{1,10}/\\d{1,10}/?(?:\\?|$)' }]);
    expect(found[0]!.evidence).toMatchObject({
      only: 'pages whose path ends with the number',
      from: '/2026/1/1',
      to: '/2026/9/10',
      numbers: 90,
    });
    expect(cutBy(found, rows).sort()).toEqual(days.map((day) => `${SITE}${day}/`).sort());
    expect(find([...rows, { url: `${SITE}/1999/12/31/`, isKept: true }])).toEqual([]);
  });

  test('are numbers within segments too, and numbers of pages', () => {
    const rows = numbers(80).map((i) => ({ url: `${SITE}/forum/thread-${i}.html?x=${i}`, signature: `${i}` }));
    expect(patternsOf(find(rows))).toEqual([{ regex: '^https?://[^/]+/forum/thread-\\d{1,10}\\.html(?:[/?]|$)' }]);
    expect(cutBy(find(rows), rows)).toHaveLength(80);
  });

  test('do not count segments that are the same everywhere as numbers', () => {
    const rows = numbers(90).map((i) => ({ url: `${SITE}/v2/0${i % 2}/entry-${i}`, signature: `${i}` }));
    const found = find([...rows, { url: `${SITE}/v3/x`, relevant: true }]);
    expect(patternsOf(found)).toEqual([{ regex: '^https?://[^/]+/v2/\\d{1,10}/entry-\\d{1,10}(?:[/?]|$)' }]);
    expect(found[0]!.evidence).toMatchObject({ section: '/v2/…/entry-…', from: '/v2/0/entry-0', to: '/v2/1/entry-89' });
  });

  test('need enough pages, numbers and answers', () => {
    expect(find(months('/events/', 120, 19))).toEqual([]);
    expect(find(months('/events/', 49, 30))).toEqual([]);
    expect(
      find(numbers(90).map((i) => ({ url: `${SITE}/in/2026/page-${'abc'[i % 3]}${i}x`, signature: `${i}` }))),
    ).toEqual([]);
    expect(findIn([calendars], months('/events/'))).toEqual([]);
  });

  test('do not count digits of escapes and of long ids as numbers', () => {
    expect(
      find(numbers(90).map((i) => ({ url: `${SITE}/%E4%B${i % 10}%8${Math.floor(i / 10)}`, signature: `${i}` }))),
    ).toEqual([]);
    expect(find(numbers(90).map((i) => ({ url: `${SITE}/id/${10_000_000_000 + i}`, signature: `${i}` })))).toEqual([]);
  });
});
