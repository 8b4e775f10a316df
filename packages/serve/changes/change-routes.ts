import { recordFilter, type LoggedRecord } from '../../changes/index.js';
import { CHANGE_KINDS, timeOfCursor } from '../../core/index.js';
import { createReadBudget } from '../../search/index.js';
import { jsonReply, type Reply } from '../http/reply.js';
import type { Request, Route } from '../http/request.js';
import type { PageReplies } from '../page-replies.js';
import type { Site } from '../site/site.js';
import type { ChangesSource } from '../source.js';
import { askedChanges, filterParams } from './asked-changes.js';
import { createChangeEvents } from './change-events.js';
import { changesPage, olderParams } from './changes-page.js';
import { feedEntry, tagOf, type FeedEntry } from './feed-entry.js';
import { MAX_READ, createNewestChanges } from './newest-changes.js';
import { createShownDiffs } from './shown-diffs.js';
import { html, markup } from '../http/html.js';

interface ChangeRoutesContext {
  readonly changes: ChangesSource;
  readonly replies: PageReplies;
  readonly site: Site;
  readonly onError: (error: unknown) => void;
}

/** Default and maximum number of changes on a page and in a feed. */
const SHOWN = { usual: 50, most: 500 };
/** Default and maximum number of changes in a response of the API. */
const ANSWERED = { usual: 100, most: 1000 };

/** Maximum bytes of memory for one read of changes, and number of reads at the same time. */
const READ = 16 * 2 ** 20;
const READS = 2;

/**
 * Makes the routes for changes. The routes read only the change log, from a cursor or a time on. Only the page also reads rows, to compare
 * their versions.
 */
export function createChangeRoutes({ changes, replies, site, onError }: ChangeRoutesContext) {
  const events = createChangeEvents(changes, { onError });
  const newestChanges = createNewestChanges(changes);
  const shownDiffs = createShownDiffs(changes);
  // A filter may pass over thousands of changes. So few reads run at a time, and they take nothing from the budget of searches.
  const budget = createReadBudget({ bytes: READS * READ });
  const inTurn = <T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> => budget.run(READ, read, signal);

  async function feedOf({ params, path, origin, signal }: Request): Promise<Feed> {
    const asked = askedChanges(params, SHOWN);
    const { filter, before } = asked;
    const [tableId, { records, older }] = await Promise.all([
      changes.tableId(),
      inTurn(signal, () => newestChanges(asked, signal)),
    ]);
    const own = filterParams(filter).toString();
    const at = (place: string, query: string): string => `${origin}${place}${query === '' ? '' : `?${query}`}`;
    return {
      id: tagOf(tableId, own === '' ? 'changes' : `changes?${own}`),
      title: `Changes – ${site.name}`,
      home: at('/changes', own),
      self: at(path, before === undefined ? own : olderParams(filter, before)),
      updated: new Date(records[0]?.at ?? 0).toISOString(),
      entries: records.map((record) => feedEntry(record, tableId)),
      ...(older !== undefined && { older: at(path, olderParams(filter, older)) }),
    };
  }

  const routes: Readonly<Record<string, Route>> = {
    async '/changes'(request) {
      const asked = askedChanges(request.params, SHOWN);
      const { signal } = request;
      const [found, diffs] = await inTurn(signal, async () => {
        const newest = await newestChanges(asked, signal);
        return [newest, await shownDiffs(newest.records, signal)] as const;
      });
      return replies.show(request, changesPage(asked, found, diffs), { cache: 'revalidate' });
    },
    '/changes.json': async (request) => jsonFeed(await feedOf(request)),
    '/changes.atom': async (request) => atomFeed(await feedOf(request)),
    async '/changes/events'({ params, headers, signal }) {
      const { filter, since, cursor: asked } = askedChanges(params, ANSWERED);
      const last = headers['last-event-id'];
      const from = typeof last === 'string' && last !== '' ? last : asked;
      const { oldest, next, isKnown } = await changes.places(from);
      if (!isKnown) return events.stream({ cursor: oldest, isReset: true }, filter, signal);
      if (from !== undefined || since === undefined)
        return events.stream({ cursor: from ?? next, isReset: false }, filter, signal);
      const begin = await changes.read({ since }, signal).begin();
      return events.stream({ cursor: begin, isReset: false }, filter, signal);
    },
    async '/api/changes'({ params, signal }) {
      const { filter, since, cursor, limit } = askedChanges(params, ANSWERED);
      const from = cursor === undefined ? since !== undefined && { since } : { cursor };
      return inTurn(signal, async () => {
        // The filter is applied here, so that a request reads a limited part of the log, whatever its filter finds.
        const found = changes.read({ ...from, kinds: CHANGE_KINDS, limit: MAX_READ + 1 }, signal);
        const isWanted = recordFilter(filter);
        const records: LoggedRecord[] = [];
        let [read, bytesOnly, last] = [0, 0, ''];
        let isMore = false;
        for await (const record of found) {
          isMore = records.length >= limit || read >= MAX_READ;
          if (isMore) break;
          read++;
          last = record.cursor;
          const verdict = isWanted(record);
          if (verdict === 'bytes') bytesOnly++;
          if (verdict === true) records.push(record);
        }
        const next = isMore ? last : await found.next();
        // The summary is of the part that was read.
        const part = isMore ? changes.read({ ...from, until: timeOfCursor(next) + 1 }, signal) : found;
        return jsonReply({ ...(await part.summary()), bytesOnly, changes: records, next, more: isMore });
      });
    },
  };
  return { routes };
}

interface Feed {
  readonly id: string;
  readonly title: string;
  /** URL of the page that shows the same changes. */
  readonly home: string;
  /** URL of this feed. The field `older` has the URL of the feed with older changes. */
  readonly self: string;
  readonly older?: string;
  /** The time of the newest entry, in the format of RFC 3339. A feed without entries has a time too. */
  readonly updated: string;
  readonly entries: readonly FeedEntry[];
}

/** Writes the feed as JSON Feed 1.1. */
function jsonFeed({ title, home, self, older, entries }: Feed): Reply {
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: home,
    feed_url: self,
    ...(older !== undefined && { next_url: older }),
    items: entries.map(({ id, url, title: name, text, at, kinds }) => ({
      id,
      url,
      title: name,
      content_text: text,
      date_published: at,
      tags: kinds,
    })),
  };
  return { ...jsonReply(feed, 200, 'application/feed+json; charset=utf-8'), cache: 'revalidate' };
}

/** Writes the feed as Atom (RFC 4287). The feed links to older changes as in RFC 5005. */
function atomFeed({ id, title, home, self, older, updated, entries }: Feed): Reply {
  const body = html`${markup('<?xml version="1.0" encoding="utf-8"?>\n')}<feed xmlns="http://www.w3.org/2005/Atom">
      <id>${id}</id>
      <title>${title}</title>
      <updated>${updated}</updated>
      <author><name>webcrawl</name></author>
      <link rel="alternate" type="text/html" href="${home}" />
      <link rel="self" type="application/atom+xml" href="${self}" />
      ${older !== undefined && html`<link rel="next" type="application/atom+xml" href="${older}" /> `}${entries.map(
        ({ id: own, url, title: name, text, at, kinds }) =>
          html`<entry>
            <id>${own}</id>
            <title>${name}</title>
            <updated>${at}</updated>
            <link rel="alternate" href="${url}" />
            ${kinds.map((kind) => html`<category term="${kind}" />`)}
            <content type="text">${text}</content>
          </entry> `,
      )}</feed
    > `;
  return { status: 200, type: 'application/atom+xml; charset=utf-8', body: body.toString(), cache: 'revalidate' };
}
