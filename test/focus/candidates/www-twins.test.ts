import { describe, expect, test } from 'vitest';
import { wwwTwins } from '../../../packages/focus/candidates/www-twins.js';
import { findIn, type GivenRow } from '../../support/focus/finder-rows.js';

const find = (...rows: readonly (readonly GivenRow[])[]) => findIn([wwwTwins], rows.flat(), { hasRelevant: false });
const WITH = 'http://www.example.com';
const WITHOUT = 'http://example.com';
const pages = (
  site: string,
  change: (i: number, url: string) => Partial<GivenRow> = () => ({}),
  count = 30,
): GivenRow[] =>
  Array.from({ length: count }, (_, i) => {
    const url = `${site}/p${i}?x=${i}`;
    return { url, signature: `document ${i}`, ...change(i, url) };
  });
const leads = (site: string) => (_: number, url: string) => ({
  status: 'redir_perm' as const,
  signature: undefined,
  redirectTarget: url.replace(/^http:\/\/[^/]+/, site),
});

describe('www twins', () => {
  test('with the same documents are rewritten to the form with more known pages', () => {
    expect(find(pages(WITH), pages(WITHOUT))).toMatchObject([
      {
        reason: 'www',
        rows: 30,
        rule: { kind: 'www', scope: 'domain:example.com', to: 'without', origin: 'generated' },
        evidence: { compared: 30, alike: 30, documents: 30 },
      },
    ]);
    expect(find(pages(WITH, undefined, 40), pages(WITHOUT))).toMatchObject([
      { rule: { to: 'with' }, rows: 30, evidence: { rowsWith: 40 } },
    ]);
  });

  test('follow the form of redirects and canonicals', () => {
    expect(find(pages(WITH), pages(WITHOUT, leads(WITH)))).toMatchObject([
      { rule: { to: 'with' }, evidence: { redirectsAndCanonicals: 30 } },
    ]);
    expect(find(pages(WITHOUT), pages(WITH, leads(WITHOUT), 60))).toMatchObject([{ rule: { to: 'without' } }]);
    expect(find(pages('https://www.example.com'), pages(WITHOUT, leads('https://www.example.com')))).toMatchObject([
      { rule: { to: 'with' } },
    ]);
    const canonical = (_: number, url: string) => ({
      parseStatus: { code: 'success', canonical: url.replace('www.', '') },
    });
    expect(find(pages(WITH, canonical, 40), pages(WITHOUT))).toMatchObject([{ rule: { to: 'without' } }]);
    const differing = (i: number, url: string) => ({ ...canonical(i, url), signature: `today's ${i}` });
    expect(find(pages(WITH, differing), pages(WITHOUT))).toMatchObject([
      { rule: { to: 'without' }, evidence: { alike: 30 } },
    ]);
  });

  test('are not found for pages that differ, are too few, or are one page', () => {
    expect(
      find(
        pages(WITH),
        pages(WITHOUT, (i) => ({ signature: `other ${i}` })),
      ),
    ).toEqual([]);
    expect(find(pages(WITH, undefined, 9), pages(WITHOUT))).toEqual([]);
    expect(
      find(
        pages(WITH, () => ({ signature: 'log in' })),
        pages(WITHOUT, () => ({ signature: 'log in' })),
      ),
    ).toEqual([]);
    expect(find(pages(WITH), pages('http://blog.example.com'))).toEqual([]);
    expect(find(pages(WITH), pages('https://example.com'))).toEqual([]);
  });

  test('are not rewritten to a form in which pages fail or redirect back', () => {
    const someFail = (i: number) => (i % 5 === 0 ? { status: 'gone' as const, signature: undefined } : {});
    expect(find(pages(WITH), pages(WITHOUT, someFail, 60))).toMatchObject([{ rule: { to: 'with' } }]);
    const mixed = (i: number, url: string) => (i % 5 === 0 ? leads(WITH)(i, url) : {});
    expect(find(pages(WITH), pages(WITHOUT, mixed, 60))).toMatchObject([{ rule: { to: 'with' } }]);
    const bothWays = pages(WITH, (i, url) => (i % 5 === 1 ? leads(WITHOUT)(i, url) : {}));
    expect(find(bothWays, pages(WITHOUT, mixed))).toEqual([]);
  });

  test('are not rewritten to a form that loses a page that must be kept', () => {
    const one = (i: number) => (i === 3 ? { status: 'gone' as const, signature: undefined } : {});
    expect(find(pages(WITH, undefined, 40), pages(WITHOUT, one, 90))).toMatchObject([{ rule: { to: 'without' } }]);
    const kept = pages(WITH, (i) => ({ isKept: i === 3 }), 40);
    expect(find(kept, pages(WITHOUT, one, 90))).toMatchObject([{ rule: { to: 'with' } }]);
  });

  test('are not rewritten to a form in which pages that must be kept were never seen', () => {
    const twins = [...pages(WITH, undefined, 40), ...pages(WITHOUT, undefined, 90)];
    const only = (site: string, count: number): GivenRow[] =>
      pages(`${site}/only`, (i) => ({ isKept: true, signature: `only ${i}` }), count);
    expect(find(twins)).toMatchObject([{ rule: { to: 'without' } }]);
    expect(find(twins, only(WITH, 10))).toMatchObject([{ rule: { to: 'with' } }]);
    expect(find(twins, only(WITH, 10), only(`${WITHOUT}/other`, 10))).toEqual([]);
    // Nor to one in which such pages are only linked and not fetched.
    const unfetched = only(WITH, 10).map(({ url }) => ({ url: url.replace('www.', '') }));
    expect(find(twins, only(WITH, 10), unfetched)).toMatchObject([{ rule: { to: 'with' } }]);
    // If enough of them are known in both forms, the others are too.
    const isKept = () => ({ isKept: true });
    const kept = [...pages(WITH, isKept, 40), ...pages(WITHOUT, isKept, 90)];
    expect(find(kept, only(WITH, 10))).toMatchObject([{ rule: { to: 'without' } }]);
  });

  test('are not rewritten to a form that never answered under a scheme or port', () => {
    const twins = [...pages(WITH, undefined, 40), ...pages(WITHOUT, undefined, 90)];
    for (const site of ['https://www.example.com', `${WITH}:8080`]) {
      expect(find(twins, pages(site, undefined, 25))).toMatchObject([{ rule: { to: 'with' } }]);
      expect(find(twins, pages(site, undefined, 25), pages(site.replace('www.', ''), undefined, 25))).toMatchObject([
        { rule: { to: 'without' } },
      ]);
    }
  });
});
