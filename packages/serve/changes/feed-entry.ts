import { changeDetails, hostText, type LoggedRecord } from '../../changes/index.js';

/** A change as an entry of a feed. Its texts are untrusted. Characters that XML cannot have were removed. */
export interface FeedEntry {
  /** The id of the entry. No other change ever gets this id. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** The time of the change, in the format of RFC 3339. */
  readonly at: string;
  readonly kinds: readonly string[];
}

/** Returns the id of a feed or of an entry, as a tag URI (RFC 4151). @param name the name of the feed, or the cursor of the entry */
export function tagOf(tableId: string, name: string): string {
  return `tag:${tableId}.webcrawl.invalid,2026:${encodeURIComponent(name)}`;
}

export function feedEntry(record: LoggedRecord, tableId: string): FeedEntry {
  const { at: time, cursor } = record;
  const common = { id: tagOf(tableId, cursor), at: new Date(time).toISOString() };
  if (record.type === 'host') {
    const { host } = record;
    return {
      ...common,
      url: `http://${host}/`,
      title: plain(`${host} fails`),
      text: hostText(record),
      kinds: ['host'],
    };
  }
  const { url, kinds, before, after } = record;
  const name = (after.title ?? before?.title ?? '').trim();
  return {
    ...common,
    url,
    title: plain(`${kinds.join(', ')}: ${name === '' ? url : name}`),
    text: plain([kinds.join(', '), url, ...changeDetails(record)].join('\n')),
    kinds,
  };
}

/** Removes the characters that XML 1.0 forbids, even as escapes. */
function plain(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
}
