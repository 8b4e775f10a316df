import { html, markup } from '../http/html.js';
import { jsonAnswer, type Answer } from '../http/answer.js';
import type { FeedEntry } from './feed-entry.js';

export interface Feed {
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
export function jsonFeed({ title, home, self, older, entries }: Feed): Answer {
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
  return { ...jsonAnswer(feed, 200, 'application/feed+json; charset=utf-8'), cache: 'revalidate' };
}

/** Writes the feed as Atom (RFC 4287). The feed links to older changes as in RFC 5005. */
export function atomFeed({ id, title, home, self, older, updated, entries }: Feed): Answer {
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
