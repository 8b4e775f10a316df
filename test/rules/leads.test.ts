import { describe, expect, test } from 'vitest';
import { NO_LEADS, addLeads, agedLeads, isExplored, leadForm } from '../../packages/rules/index.js';

const SITE = 'http://a.example';
const form = (path: string): string => leadForm(SITE + path);

describe('where pages lead', () => {
  test.each([
    ['/tag/t17/', '/tag/b2/'],
    ['/author/a3/page/2/', '/author/x9/part/10/'],
    ['/list.php?cat=3&page=2', '/show.php?cat=4&page=1'],
    ['/about', '/contact'],
    ['/2026/11/22/storm-17/', '/2025/1/2/calm-3/'],
  ])('%s and %s have one form', (one, other) => expect(form(one)).toBe(form(other)));

  test.each([
    ['/tag/t17/', '/author/t17/'],
    ['/tag/t17/', '/tag/17/'],
    ['/tag/t17/', '/tag/t17/2/'],
    ['/list?cat=3', '/list?page=3'],
    ['/', '/about'],
  ])('%s and %s differ', (one, other) => expect(form(one)).not.toBe(form(other)));

  test('what is known of a host is bounded, and in whatever order it comes the same', () => {
    const shown = Array.from({ length: 1000 }, (_, i) => ({
      useful: [1, i % 3] as const,
      forms: { [form(`/s${i}/${i}`.replace(/\d/g, (d) => 'abcdefghij'[Number(d)]!))]: [1, i % 5] as const },
    }));
    const sum = shown.reduce((known, more) => addLeads(known, more), addLeads(NO_LEADS, NO_LEADS));
    expect(Object.keys(sum.forms).length).toBeLessThanOrEqual(256);
    expect(sum.useful).toEqual([1000, 999]);
    const back = [...shown].reverse().reduce((known, more) => addLeads(known, more), addLeads(NO_LEADS, NO_LEADS));
    expect(back).toEqual(sum);
  });

  test('with each batch pages of long ago count less', () => {
    expect(agedLeads({ useful: [64, 64], forms: { 1: [64, 640], 2: [1, 3] } })).toEqual({
      useful: [64, 64],
      forms: { 1: [64, 640], 2: [1, 3] },
    });
    expect(agedLeads({ useful: [128, 64], forms: { 1: [65, 640] } })).toEqual({
      useful: [64, 32],
      forms: { 1: [32.5, 320] },
    });
  });

  test('of pages that lead to several useful ones a share comes first, unless useful pages lead to enough', () => {
    const urls = Array.from({ length: 1000 }, (_, i) => `${SITE}/tag/t${i}/`);
    const explored = (found: number, byUseful: number): number => {
      const leads = { useful: [49, byUseful] as const, forms: { [form('/tag/t1/')]: [49, found] as const } };
      return urls.filter((url) => isExplored(leads, url, 0.04)).length;
    };
    // Six useful pages each: a share of five times 0.04.
    expect(explored(300, 0)).toBeGreaterThan(150);
    expect(explored(300, 0)).toBeLessThan(250);
    expect(explored(300, 25)).toBeGreaterThan(60);
    expect(explored(300, 25)).toBeLessThan(140);
    expect(explored(300, 50)).toBe(0);
    expect(explored(50, 0)).toBe(0);
    expect(urls.filter((url) => isExplored(NO_LEADS, url, 1))).toEqual([]);
  });
});
