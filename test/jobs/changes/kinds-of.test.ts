import { describe, expect, it } from 'vitest';
import { kindsOf, type ChangeTerms, type FoundNow } from '../../../packages/jobs/changes/kinds-of.js';
import type { LoggedState, PageDigest } from '../../../webtable/index.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const T = 1_700_000_000_000;
const DIGEST: PageDigest = {
  basis: 1,
  content: 10,
  blocks: 11,
  title: 12,
  description: 13,
  canonical: 14,
  links: 15,
  externalLinks: 16,
  noindex: false,
  length: 1000,
  linkCount: 1,
  externalLinkCount: 1,
  titleText: 'T',
};
const TERMS: ChangeTerms = { isBaseline: false, isOlderThanLog: false, isHostFailing: false };
const PAGE: LoggedState = { stands: 'page', http: 200, digest: DIGEST, seenAt: T, bodyAt: T };

const page = (digest: Partial<PageDigest> = {}, more: Partial<FoundNow> = {}): FoundNow => ({
  is: 'page',
  http: 200,
  fetchedAt: T + DAY,
  hasBody: true,
  digest: { ...DIGEST, ...digest },
  hasOtherBytes: Object.keys(digest).length > 0,
  ...more,
});
const failing = (http: number | undefined, at: number, more: Partial<FoundNow> = {}): FoundNow => ({
  is: 'failing',
  fetchedAt: at,
  ...(http !== undefined && { http }),
  ...more,
});
const redirect = (target: number, at = T + DAY): FoundNow => ({ is: 'redirect', http: 301, target, fetchedAt: at });
const unchanged: FoundNow = { is: 'page', http: 304, fetchedAt: T + DAY };

/** The kinds that are logged for each of several fetches in a row. */
function history(start: LoggedState | undefined, ...found: (FoundNow | [FoundNow, Partial<ChangeTerms>])[]): string[] {
  let logged = start;
  return found.map((each) => {
    const [now, terms] = Array.isArray(each) ? each : [each, {}];
    const verdict = kindsOf(logged, now, { ...TERMS, ...terms });
    logged = verdict.logged;
    return verdict.kinds.join(' ') + (verdict.isHeld ? '(held)' : '') + (verdict.isRebased ? '(rebased)' : '');
  });
}

describe('the changes logged for a page', () => {
  it.each<[string, LoggedState | undefined, (FoundNow | [FoundNow, Partial<ChangeTerms>])[], string[]]>([
    ['the same page', PAGE, [page()], ['']],
    ['not sent again', PAGE, [unchanged], ['']],
    ['not parsed', PAGE, [{ is: 'page', http: 200, fetchedAt: T, hasBody: true }], ['(rebased)']],
    [
      'a refresh that begins, stays, has another target and ends',
      PAGE,
      [
        page({ content: 1, blocks: 2, length: 50 }, { target: 7 }),
        { ...unchanged, http: 200, hasBody: true },
        unchanged,
        page({ content: 1, blocks: 2, length: 50 }, { target: 7 }),
        page({ content: 1, blocks: 2, length: 50 }, { target: 8 }),
        page(),
      ],
      ['redirect content', '(rebased)', '', 'bytes', 'redirect', 'redirect content'],
    ],
    [
      'a challenge that refreshes, once',
      PAGE,
      [page({ content: 1, blocks: 2, length: 0, title: 9 }, { target: 7 }), page()],
      ['(held)', ''],
    ],
    [
      'an empty shell that refreshes, twice',
      PAGE,
      [
        page({ content: 1, blocks: 2, length: 0 }, { target: 7 }),
        page({ content: 1, blocks: 2, length: 0 }, { target: 7 }),
        page({ content: 1, blocks: 2, length: 0 }, { target: 7, hasOtherBytes: false }),
      ],
      ['(held)', 'redirect content', ''],
    ],
    [
      'an empty shell that refreshes, and that the server calls the same',
      PAGE,
      [page({ content: 1, blocks: 2, length: 0 }, { target: 7 }), { ...unchanged, target: 7 }, unchanged],
      ['(held)', 'redirect content', ''],
    ],
    ['a refresh that an earlier version did not log', PAGE, [{ ...unchanged, target: 7 }], ['']],
    ['a refresh of a page of another digest', PAGE, [page({ basis: 2 }, { target: 7 })], ['(rebased)']],
    ['content', PAGE, [page({ content: 1, blocks: 2 })], ['content']],
    ['other order', PAGE, [page({ content: 1 })], ['reordered']],
    ['title', PAGE, [page({ title: 1 })], ['title']],
    ['description', PAGE, [page({ description: 1 })], ['description']],
    ['canonical', PAGE, [page({ canonical: 1 })], ['canonical']],
    ['noindex set and lifted', PAGE, [page({ noindex: true }), page()], ['noindex', 'noindex']],
    ['links within', PAGE, [page({ links: 1 })], ['links']],
    ['links to others', PAGE, [page({ externalLinks: 1 })], ['links']],
    ['several', PAGE, [page({ content: 1, blocks: 2, title: 3, links: 4 })], ['content title links']],
    ['back to an earlier text', PAGE, [page({ content: 1, blocks: 1 }), page()], ['content', 'content']],
    ['bytes alone', PAGE, [page({}, { hasOtherBytes: true })], ['bytes']],
    [
      'another way to make digests',
      PAGE,
      [page({ basis: 2, content: 1 }), page({ basis: 2, content: 1 }, { hasOtherBytes: false })],
      ['(rebased)', ''],
    ],
    ['new', undefined, [page()], ['new']],
    ['no news in the baseline', undefined, [[page(), { isBaseline: true }]], ['']],
    ['no news of an old row', undefined, [[page(), { isOlderThanLog: true }], page({ title: 1 })], ['', 'title']],
    ['new after failures', undefined, [failing(404, T), page()], ['', 'new']],
    ['a new redirect is no news', undefined, [redirect(1), redirect(2)], ['', 'redirect']],
    [
      'redirect began, leads elsewhere, ended',
      PAGE,
      [redirect(1), redirect(1), redirect(2), page()],
      ['redirect', '', 'redirect', 'redirect'],
    ],
    [
      'redirect ended with other content',
      PAGE,
      [redirect(1), page({ content: 1, blocks: 1 })],
      ['redirect', 'redirect content'],
    ],
    ['404 once', PAGE, [failing(404, T), page()], ['status', 'status']],
    ['404 twice within a day', PAGE, [failing(404, T), failing(404, T + DAY - 1)], ['status', '']],
    ['404 twice, a day apart', PAGE, [failing(404, T), failing(404, T + DAY), page()], ['status', 'gone', 'back']],
    [
      '404 after another failure',
      PAGE,
      [failing(403, T), failing(404, T + DAY), failing(404, T + 2 * DAY)],
      ['status', '', 'gone'],
    ],
    [
      '404, another failure, 404',
      PAGE,
      [failing(404, T), failing(403, T + DAY), failing(404, T + 2 * DAY)],
      ['status', '', ''],
    ],
    ['410 once', PAGE, [failing(410, T), failing(410, T + DAY)], ['gone', '']],
    ['gone, and then something else', PAGE, [failing(410, T), failing(403, T + DAY), page()], ['gone', '', 'back']],
    ['back with other content', PAGE, [failing(410, T), page({ content: 1, blocks: 1 })], ['gone', 'back content']],
    ['403 for ever is never gone', PAGE, [failing(403, T), failing(403, T + 9 * DAY)], ['status', '']],
    ['a failure that may pass', PAGE, [failing(503, T, { mayPass: true }), page()], ['(held)', '']],
    [
      'a failure that may pass, twice',
      PAGE,
      [failing(503, T, { mayPass: true }), failing(undefined, T + HOUR, { mayPass: true }), page()],
      ['(held)', 'status', 'status'],
    ],
    ['a failure of the whole host', PAGE, [[failing(410, T), { isHostFailing: true }], page()], ['(held)', '']],
    [
      'a failure of the whole host that stays',
      PAGE,
      [[failing(410, T), { isHostFailing: true }], failing(410, T + DAY)],
      ['(held)', 'gone'],
    ],
    [
      'a failure of the whole host after the page failed',
      PAGE,
      [failing(404, T), [failing(404, T + DAY), { isHostFailing: true }]],
      ['status', 'gone'],
    ],
    ['an empty shell, once', PAGE, [page({ content: 1, blocks: 1, length: 49, title: 9 }), page()], ['(held)', '']],
    [
      'an empty shell, twice',
      PAGE,
      [page({ content: 1, blocks: 1, length: 49 }), page({ content: 1, blocks: 1, length: 49 })],
      ['(held)', 'content'],
    ],
    [
      'an empty shell that the server calls the same',
      PAGE,
      [page({ content: 1, blocks: 1, length: 0 }), unchanged, unchanged],
      ['(held)', 'content', ''],
    ],
    [
      'another empty shell each time',
      PAGE,
      [page({ content: 1, blocks: 1, length: 9 }), page({ content: 2, blocks: 2, length: 9 })],
      ['(held)', '(held)'],
    ],
    ['less content, but not nearly none', PAGE, [page({ content: 1, blocks: 1, length: 50 })], ['content']],
    [
      'a short page that is emptied',
      { ...PAGE, digest: { ...DIGEST, length: 199 } },
      [page({ content: 1, blocks: 1, length: 0 })],
      ['content'],
    ],
  ])('%s', (_, start, found, kinds) => {
    expect(history(start, ...found)).toEqual(kinds);
  });

  it('store since when a page fails, what it was before, and when its last body came', () => {
    const first = kindsOf(PAGE, failing(404, T + HOUR), TERMS).logged;
    expect(first).toEqual({ ...PAGE, failing: { since: T + HOUR, missingSince: T + HOUR, logged: 'status' } });
    const second = kindsOf(first, failing(403, T + 2 * HOUR), TERMS).logged;
    expect(second.failing).toEqual({ since: T + HOUR, logged: 'status' });
    expect(kindsOf(second, unchanged, TERMS).logged).toEqual({ ...PAGE, http: 304, seenAt: T + DAY });
    expect(kindsOf(undefined, page(), TERMS).logged).toEqual({
      ...PAGE,
      seenAt: T + DAY,
      bodyAt: T + DAY,
      isFirst: true,
    });
  });
});
