import { CrawlError, safeText } from '../../errors/index.js';
import type { IndexHit, IndexHits, IndexInfo, IndexReader } from '../reader.js';
import { answerReader, type AnswerReader } from './answers.js';
import { connect, type Connection, type OpenSearchPlace } from './connection.js';
import { searchBody, termQuery } from './query.js';
import { findIndex } from './notes.js';
import { OPENSEARCH_FORMAT, type IndexNotes } from './schema.js';

/** An index of OpenSearch, and of whom it must be. */
export interface OpenSearchReaderOptions extends OpenSearchPlace {
  /** The name of the tokenizer that reads queries: an index of another is refused. Absent: any will do. */
  readonly words?: string;
  /** Names the table whose pages it must hold. */
  readonly table: string;
}

/** Milliseconds that an answer may take, and for which it is known of whom the index is and how many documents it has. */
const ANSWER_MS = 10_000;
const KNOWN_MS = 10_000;
/** Languages that are told apart. */
const MOST_LANGUAGES = 1000;

/**
 * Opens an index of OpenSearch for reading. Whether there is one is found at the first question. It rejects as an
 * {@link IndexReader} does, and with CrawlError BAD_SETTING where the server refuses the user, STORE_FAILED where there is none.
 * @throws CrawlError MISSING_PACKAGE, BAD_SETTING
 */
export async function openOpenSearchReader({ words, table, ...place }: OpenSearchReaderOptions): Promise<IndexReader> {
  const connection = await connect({ tries: 2, answerMs: ANSWER_MS, ...place });
  const read = answerReader(connection.name, 'the answer to a search');
  let known: { readonly notes: IndexNotes; readonly documents: number; readonly at: number } | undefined;

  /** @throws CrawlError NO_INDEX, WRONG_INDEX */
  async function look(): Promise<NonNullable<typeof known>> {
    if (known && performance.now() - known.at < KNOWN_MS) return known;
    const notes = await findIndex(connection);
    const problem = !notes
      ? 'found none'
      : notes.format !== OPENSEARCH_FORMAT
        ? `found one of format ${safeText(notes.format, 100)}`
        : words !== undefined && notes.words !== words
          ? `found one of words split by ${safeText(notes.words, 300)}`
          : undefined;
    if (!notes || problem !== undefined) {
      throw new CrawlError(
        'NO_INDEX',
        `expected a search index of format ${OPENSEARCH_FORMAT}${words === undefined ? '' : ` and words split by ${words}`} at ${connection.name}, ${problem}`,
        {
          hint: 'webcrawl index --all makes it anew from the table',
        },
      );
    }
    if (notes.table !== table) {
      throw new CrawlError(
        'WRONG_INDEX',
        `expected the index of this table at ${connection.name}, found that of another`,
        {
          hint: 'name an index of its own for each table by the setting index.url',
        },
      );
    }
    const answer = await connection.ask('GET', '/_count');
    known = { notes, documents: read.number(read.at(answer, 'count'), 0), at: performance.now() };
    return known;
  }

  return {
    async info() {
      const { notes } = await look();
      return infoOf(connection, read, notes);
    },
    async search(query) {
      const { documents } = await look();
      return hitsOf(await ask(connection, searchBody(query, documents)), read);
    },
    async documentCounts(terms) {
      await look();
      const filters = Object.fromEntries(terms.map((term, i) => [String(i), termQuery(term)]));
      const answer = await ask(connection, { size: 0, aggs: { counts: { filters: { filters } } } });
      const buckets = read.at(answer, 'aggregations', 'counts', 'buckets');
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
      const answer = await ask(connection, { size: 0, suggest: { similar: { text, term } } });
      const options = read.list(read.at(answer, 'suggest', 'similar', 0, 'options') ?? []);
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
  { at, list, number, text }: AnswerReader,
  { words, isWhole, made }: IndexNotes,
): Promise<IndexInfo> {
  const answer = await ask(connection, {
    size: 0,
    track_total_hits: true,
    aggs: {
      languages: { terms: { field: 'language', size: MOST_LANGUAGES } },
      changed: { max: { field: 'indexedAt' } },
    },
  });
  const stats = await connection.ask('GET', '/_stats/store');
  const languages = list(at(answer, 'aggregations', 'languages', 'buckets') ?? []);
  return {
    documents: number(at(answer, 'hits', 'total', 'value'), 0),
    words,
    languages: Object.fromEntries(languages.map(({ key, doc_count: count }) => [text(key), number(count, 0)])),
    bytes: number(at(stats, '_all', 'primaries', 'store', 'size_in_bytes'), 0),
    changedAt: number(at(answer, 'aggregations', 'changed', 'value'), made),
    isWhole,
  };
}

function hitsOf(answer: unknown, { at, list, number, text }: AnswerReader): IndexHits {
  const found = list(at(answer, 'hits', 'hits')).map((hit): IndexHit => {
    const field = (name: string): unknown => at(hit, 'fields', name, 0);
    return {
      key: text(field('key')),
      score: number(at(hit, '_score') ?? field('rank'), 0),
      language: text(field('language') ?? ''),
      fetchedAt: number(field('fetchedAt'), 0),
      modifiedTime: number(field('modifiedTime'), 0),
      rank: number(field('rank'), 0),
      simhash: text(field('simhash') ?? ''),
    };
  });
  found.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
  const total = number(at(answer, 'hits', 'total', 'value'), found.length);
  return { total, partial: 0, hits: found, isApproximate: at(answer, 'timed_out') === true };
}
