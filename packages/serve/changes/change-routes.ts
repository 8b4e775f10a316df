import { jsonAnswer, type Answer } from '../http/answer.js';
import type { Request, Route } from '../http/request.js';
import type { PageAnswers } from '../page-answers.js';
import type { Site } from '../site/site.js';
import type { ChangesSource } from '../source.js';
import { askedChanges, filterParams } from './asked-changes.js';
import { createChangeEvents } from './change-events.js';
import { changesPage, olderParams } from './changes-page.js';
import { feedEntry, tagOf } from './feed-entry.js';
import { atomFeed, jsonFeed, type Feed } from './feeds.js';
import { createNewestChanges } from './newest-changes.js';

/** The input of the routes for changes. */
interface ChangeRoutesContext {
  readonly changes: ChangesSource;
  readonly answers: PageAnswers;
  readonly site: Site;
  readonly onError: (error: unknown) => void;
}

/** Default and maximum number of changes on a page and in a feed. */
const SHOWN = { usual: 50, most: 500 };
/** Default and maximum number of changes in an answer of the API. */
const ANSWERED = { usual: 100, most: 1000 };

const FULL: Answer = {
  status: 503,
  type: 'text/plain; charset=utf-8',
  body: 'expected fewer readers of changes at the same time; connect again later\n',
  headers: { 'retry-after': '60' },
};

/** Makes the routes for changes. The routes read only the change log, from a cursor or a time on. They read no rows. */
export function createChangeRoutes({ changes, answers, site, onError }: ChangeRoutesContext) {
  const events = createChangeEvents(changes, { onError });
  const newestChanges = createNewestChanges(changes);

  async function feedOf({ params, path, origin, signal }: Request): Promise<Feed> {
    const asked = askedChanges(params, SHOWN);
    const { filter, before } = asked;
    const [tableId, { records, older }] = await Promise.all([changes.tableId(), newestChanges(asked, signal)]);
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
      const found = await newestChanges(asked, request.signal);
      return answers.show(request, changesPage(asked, found), { cache: 'revalidate' });
    },
    '/changes.json': async (request) => jsonFeed(await feedOf(request)),
    '/changes.atom': async (request) => atomFeed(await feedOf(request)),
    async '/changes/events'({ params, headers }) {
      const { filter, since, cursor: asked } = askedChanges(params, ANSWERED);
      if (events.isFull) return FULL;
      const last = headers['last-event-id'];
      const from = typeof last === 'string' && last !== '' ? last : asked;
      const { oldest, next, isKnown } = await changes.places(from);
      if (!isKnown) return events.stream({ cursor: oldest, isReset: true }, filter);
      if (from !== undefined || since === undefined)
        return events.stream({ cursor: from ?? next, isReset: false }, filter);
      const begin = await changes.read({ since }).begin();
      return events.stream({ cursor: begin, isReset: false }, filter);
    },
    async '/api/changes'({ params }) {
      const { filter, since, cursor, limit } = askedChanges(params, ANSWERED);
      const found = changes.read({
        ...filter,
        ...(cursor === undefined ? since !== undefined && { since } : { cursor }),
      });
      const records = [];
      let isMore = false;
      for await (const record of found) {
        isMore = records.length >= limit;
        if (isMore) break;
        records.push(record);
      }
      const next = isMore ? records.at(-1)!.cursor : await found.next();
      return jsonAnswer({ ...(await found.summary()), changes: records, next, more: isMore });
    },
  };
  return { routes };
}
