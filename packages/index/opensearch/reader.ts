import { CrawlError, safeText } from '../../errors/index.js';
import type { IndexHit, IndexHits, IndexInfo, IndexReader } from '../reader.js';
import { responseReader, type ResponseReader } from './responses.js';
import { connect, type Connection, type OpenSearchLocation } from './connection.js';
import { searchBody, termQuery } from './query.js';
import { findIndex } from './index-metadata.js';
import { OPENSEARCH_FORMAT, type IndexMetadata } from './schema.js';

interface OpenSearchReaderOptions extends OpenSearchLocation {
  /** The name of the tokenizer that reads queries. An index of another tokenizer is refused. Absent: any index is accepted. */
  readonly words?: string;
  readonly table: string;
}

const RESPONSE_TIMEOUT_MS = 10_000;
/** Number of milliseconds after which the metadata and the size of the index are read again. */
const KNOWN_MS = 10_000;
const MAX_COUNTED_LANGUAGES = 1000;

/**
 * Opens an index of OpenSearch for reading. Whether the index exists is checked at the first question. Questions reject like those of an
 * {@link IndexReader}. They also reject with CrawlError BAD_SETTING when the server refuses the user, and with STORE_FAILED when there is
 * no server.
 * @throws CrawlError MISSING_PACKAGE, BAD_SETTING
 */
export async function openOpenSearchReader({ words, table, ...place }: OpenSearchReaderOptions): Promise<IndexReader> {
  const connection = await connect({ tries: 2, responseMs: RESPONSE_TIMEOUT_MS, ...place });
  const read = responseReader(connection.name, 'the response to a search');
  let known: { readonly metadata: IndexMetadata; readonly documents: number; readonly at: number } | undefined;

  /** @throws CrawlError NO_INDEX, WRONG_INDEX */
  async function look(): Promise<NonNullable<typeof known>> {
    if (known && performance.now() - known.at < KNOWN_MS) return known;
    const metadata = await findIndex(connection);
    const problem = !metadata
      ? 'found none'
      : metadata.format !== OPENSEARCH_FORMAT
        ? `found one of format ${safeText(metadata.format, 100)}`
        : words !== undefined && metadata.words !== words
          ? `found one of words split by ${safeText(metadata.words, 300)}`
          : undefined;
    if (!metadata || problem !== undefined) {
      throw new CrawlError(
        'NO_INDEX',
        `expected a search index of format ${OPENSEARCH_FORMAT}${words === undefined ? '' : ` and words split by ${words}`} at ${connection.name}, ${problem}`,
        {
          hint: 'webcrawl index --all rebuilds it from the table',
        },
      );
    }
    if (metadata.table !== table) {
      throw new CrawlError(
        'WRONG_INDEX',
        `expected the index of this table at ${connection.name}, found that of another table`,
        {
          hint: 'name an index of its own for each table by the setting index.url',
        },
      );
    }
    const response = await connection.ask('GET', '/_count');
    known = { metadata, documents: read.number(read.at(response, 'count'), 0), at: performance.now() };
    return known;
  }

  return {
    async info() {
      const { metadata } = await look();
      return infoOf(connection, read, metadata);
    },
    async search(query) {
      const { documents } = await look();
      return hitsOf(await ask(connection, searchBody(query, documents)), read);
    },
    async documentCounts(terms) {
      await look();
      const filters = Object.fromEntries(terms.map((term, i) => [String(i), termQuery(term)]));
      const response = await ask(connection, { size: 0, aggs: { counts: { filters: { filters } } } });
      const buckets = read.at(response, 'aggregations', 'counts', 'buckets');
      return terms.map((_, i) => read.number(read.at(buckets, i, 'doc_count'), 0));
    },
    async similar(text) {
      await look();
      const term = {
        field: 'terms.text',
        analyzer: 'keyword',
        suggest_mode: 'always',
        min_word_length: 3,
        size: 10,
        sort: 'frequency',
      };
      const response = await ask(connection, { size: 0, suggest: { similar: { text, term } } });
      const options = read.list(read.at(response, 'suggest', 'similar', 0, 'options') ?? []);
      return options.map((option) => ({ term: read.text(option['text']), documents: read.number(option['freq'], 0) }));
    },
    close: () => connection.close(),
  };
}

function ask(connection: Connection, body: object): Promise<unknown> {
  return connection.ask('POST', '/_search?allow_partial_search_results=false', body);
}

async function infoOf(
  connection: Connection,
  { at, list, number, text }: ResponseReader,
  { words, isWhole, made }: IndexMetadata,
): Promise<IndexInfo> {
  const response = await ask(connection, {
    size: 0,
    track_total_hits: true,
    aggs: {
      languages: { terms: { field: 'language', size: MAX_COUNTED_LANGUAGES } },
      changed: { max: { field: 'indexedAt' } },
    },
  });
  const stats = await connection.ask('GET', '/_stats/store');
  const languages = list(at(response, 'aggregations', 'languages', 'buckets') ?? []);
  return {
    documents: number(at(response, 'hits', 'total', 'value'), 0),
    words,
    languages: Object.fromEntries(languages.map(({ key, doc_count: count }) => [text(key), number(count, 0)])),
    bytes: number(at(stats, '_all', 'primaries', 'store', 'size_in_bytes'), 0),
    changedAt: number(at(response, 'aggregations', 'changed', 'value'), made),
    isWhole,
  };
}

function hitsOf(response: unknown, { at, list, number, text }: ResponseReader): IndexHits {
  const found = list(at(response, 'hits', 'hits')).map((hit): IndexHit => {
    const field = (name: string): unknown => at(hit, 'fields', name, 0);
    return {
      key: text(field('key')),
      title: text(field('shownTitle') ?? ''),
      score: number(at(hit, '_score') ?? field('rank'), 0),
      language: text(field('language') ?? ''),
      fetchedAt: number(field('fetchedAt'), 0),
      modifiedAt: number(field('modifiedAt'), 0),
      rank: number(field('rank'), 0),
      simhash: text(field('simhash') ?? ''),
    };
  });
  found.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
  const total = number(at(response, 'hits', 'total', 'value'), found.length);
  return { total, partial: 0, hits: found, isApproximate: at(response, 'timed_out') === true };
}
