import { statedTime, type StatedTime } from './stated-time.js';

/**
 * Names of metadata with the time of publication or of the last change. They are in lower case, and the most reliable name comes first.
 * `jsonld:` is for statements in JSON-LD.
 */
const PUBLISHED = [
  'jsonld:datepublished',
  'article:published_time',
  'og:article:published_time',
  'og:published_time',
  'datepublished',
  'citation_publication_date',
  'citation_online_date',
  'citation_date',
  'dc.date.issued',
  'dcterms.issued',
  'dcterms.created',
  'dc.date.created',
  'dc.created',
  'dcterms.date',
  'dc.date',
  'parsely-pub-date',
  'sailthru.date',
  'cxenseparse:recs:publishtime',
  'article.published',
  'article:published',
  'article_date_original',
  'publication_date',
  'publish-date',
  'publish_date',
  'publishdate',
  'published-date',
  'published_date',
  'published_time',
  'pubdate',
  'pub_date',
  'rnews:datepublished',
  'shareaholic:article_published_time',
  'og:pubdate',
  'og:publish_date',
  'article:post_date',
  'article:publicationdate',
  'article:create',
  'bt:pubdate',
  'ptime',
  'displaydate',
  'originalpublicationdate',
  'dc.date.published',
  'vr:published_time',
  'date',
  'created',
  'datecreated',
  'jsonld:uploaddate',
  'jsonld:datecreated',
  'jsonld:dateposted',
];
const MODIFIED = [
  'jsonld:datemodified',
  'article:modified_time',
  'og:article:modified_time',
  'og:updated_time',
  'datemodified',
  'dcterms.modified',
  'dc.date.modified',
  'dc.modified',
  'article.updated',
  'article:modified',
  'article:post_modified',
  'lastmod',
  'lastmodified',
  'last-modified',
  'last_modified',
  'modified',
  'modified_time',
  'revised',
  'updated',
  'shareaholic:article_modified_time',
];

const [PUBLISHED_RANKS, MODIFIED_RANKS] = [PUBLISHED, MODIFIED].map(
  (names) => new Map(names.map((name, rank) => [name, rank])),
) as [Map<string, number>, Map<string, number>];

/**
 * The times when a page was published and last changed, as its metadata states. A time is absent if the page does not state it, or if it
 * cannot be read.
 */
export interface StatedTimes {
  readonly published?: StatedTime;
  readonly modified?: StatedTime;
}

export function isTimeName(name: string): boolean {
  return PUBLISHED_RANKS.has(name) || MODIFIED_RANKS.has(name);
}

export function statedTimes(metadata: Readonly<Record<string, string>>): StatedTimes {
  const published = bestOf(PUBLISHED_RANKS, metadata);
  const modified = bestOf(MODIFIED_RANKS, metadata);
  return { ...(published && { published }), ...(modified && { modified }) };
}

/**
 * Returns the time that the most reliable name states.
 * @param ranks the rank of each name; 0 is the most reliable
 */
function bestOf(
  ranks: ReadonlyMap<string, number>,
  metadata: Readonly<Record<string, string>>,
): StatedTime | undefined {
  let best = Infinity;
  let found: StatedTime | undefined;
  for (const [name, text] of Object.entries(metadata)) {
    const rank = ranks.get(name);
    if (rank === undefined || rank >= best) continue;
    const time = statedTime(text);
    if (!time) continue;
    best = rank;
    found = time;
  }
  return found;
}
