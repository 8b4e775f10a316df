import { borrowRequests, startTimeLimit, type CrawlContext, type Tracker } from '../../core/index.js';
import { inParallel, pause } from '../../util/index.js';
import type { ResponseNote } from '../collect/records.js';
import { factsOfBody } from '../facts/row-facts.js';
import type { ProbeNote } from '../rules/indexing.js';
import { verdictOf } from '../verdict.js';
import { createLinkRequests, type LinkResponse } from './link-requests.js';
import { createUncheckedLinks, type UncheckedLinks } from './unchecked-links.js';
import { isRecent, wantedOf, type Wanted, type WantedInput } from './wanted.js';

const MAX_STORED_FAILURES = 5;
const PROBE_HOLDS = 7 * 86_400_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Requests three kinds of URLs: URLs that pages name but the crawl has not requested, pages that failed once, and random names in folders
 * with possible soft 404 pages. The responses are stored with the table. Good responses are valid for a week.
 * @returns the links that were not checked, by host and reason
 */
export async function requestUrls(
  crawl: CrawlContext,
  input: WantedInput & { readonly maxSeconds?: number },
  { done }: Pick<Tracker, 'done'>,
): Promise<readonly UncheckedLinks[]> {
  const { signal, maxSeconds } = input;
  const { wanted, folders } = await wantedOf(crawl, input);
  const limit = startTimeLimit(maxSeconds, -1);
  const giveUp = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
  const threads = crawl.settings.fetcher.threadsFetch;
  const requests = borrowRequests(crawl, { job: 'audit', threads, signal: giveUp });
  const request = createLinkRequests(requests);
  const unchecked = createUncheckedLinks();
  try {
    await inParallel(byHost(wanted), threads, async (urls) => {
      for (const each of urls) {
        signal?.throwIfAborted();
        const wait = each.notBefore - crawl.clock();
        if (wait > 0 && !giveUp.aborted) await pause(wait, giveUp).catch(() => undefined);
        const result = await request(each.url, !each.isInternal);
        signal?.throwIfAborted();
        if (result.kind === 'not_checked') unchecked.add(each.url, result);
        else await crawl.tables.audits.putNotes('response', new Map([[each.key, noteOf(each, result, crawl.clock())]]));
        done();
      }
    });
    await inParallel(await dueFolders(crawl, folders), threads, async (folder) => {
      const probe = await tryFolder(crawl, request, folder);
      signal?.throwIfAborted();
      if (probe) await crawl.tables.audits.putNotes('probe', new Map([[folder, probe]]));
      done();
    });
  } finally {
    await requests.close();
    limit.clear();
  }
  return unchecked.all();
}

/**
 * Groups URLs by host. Requests to the first hosts begin while the other hosts are still read from disk. URLs that have to wait come last,
 * and URLs with an error status before them: a host that responds 429 or 503 again is left out, and then the others are already checked.
 */
async function* byHost(wanted: AsyncIterable<Wanted>): AsyncGenerator<readonly Wanted[]> {
  let group: Wanted[] = [];
  for await (const each of wanted) {
    const [first] = group;
    if (first && (new URL(first.url).hostname !== new URL(each.url).hostname || group.length >= 1000)) {
      yield inOrder(group);
      group = [];
    }
    group.push(each);
  }
  if (group.length > 0) yield inOrder(group);
}

const inOrder = (group: readonly Wanted[]): Wanted[] =>
  group.toSorted((a, b) => a.notBefore - b.notBefore || errorAt(a) - errorAt(b));

const errorAt = ({ before }: Wanted): number => (before?.http !== undefined && before.http >= 400 ? before.at : 0);

function noteOf({ before }: Wanted, { code, http, to }: LinkResponse, at: number): ResponseNote {
  const response = { at, code, ...(http !== undefined && { http }), ...(to !== undefined && { to }) };
  const verdict = verdictOf(response);
  const lastOkAt = verdict === 'ok' ? at : before?.lastOkAt;
  const wasOk = !before || verdictOf(before) === 'ok';
  const isBad = verdict === 'broken' || verdict === 'failing';
  const failures = verdict === 'failing' ? [...(before?.failures ?? []), at].slice(-MAX_STORED_FAILURES) : undefined;
  return {
    ...response,
    ...(lastOkAt !== undefined && { lastOkAt }),
    ...(isBad && { since: wasOk ? at : (before.since ?? at) }),
    ...(failures && { failures }),
  };
}

async function dueFolders({ tables, clock }: CrawlContext, folders: ReadonlySet<string>): Promise<string[]> {
  const due = new Set(folders);
  for await (const [folder, note] of tables.audits.notes('probe')) {
    if (isRecent((note as ProbeNote).at, clock(), PROBE_HOLDS)) due.delete(folder);
  }
  return [...due];
}

/** @returns undefined if the folder was not checked */
async function tryFolder(
  crawl: CrawlContext,
  request: ReturnType<typeof createLinkRequests>,
  folder: string,
): Promise<ProbeNote | undefined> {
  const name = Array.from({ length: 16 }, () => LETTERS[Math.floor(crawl.random() * LETTERS.length)]).join('');
  const url = `${folder}${name}`;
  const result = await request(url, false);
  if (result.kind === 'not_checked') return undefined;
  const { http = 0, outcome, to = url } = result;
  const nothing = { at: crawl.clock(), http, words: 0, simhash: [0, 0] as const, marks: 0 };
  // A redirect to another page, such as a login form or the home page, tells nothing about pages that do not redirect.
  if (outcome.kind !== 'content' || !new URL(to).pathname.includes(name)) return nothing;
  const { body: content, contentType, headers = {}, truncated } = outcome;
  const { words, simhash, marks } = factsOfBody(crawl, { url, content, contentType, headers, truncated }, undefined);
  return { ...nothing, words, simhash, marks };
}
