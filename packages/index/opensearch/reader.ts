import { CrawlError } from '../../errors/index.js';
import type { IndexHit, IndexHits, IndexInfo, IndexReader } from '../reader.js';
import { connect, type Connection, type OpenSearchPlace } from './connection.js';
import { unexpectedAnswer } from './errors.js';
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

/** What answers hold of what is read here. */
interface SearchAnswer {
  readonly timed_out?: boolean;
  readonly hits?: { readonly total?: { readonly value?: number }; readonly hits?: readonly FoundHit[] };
  readonly aggregations?: {
    readonly languages?: { readonly buckets?: readonly { readonly key: string; readonly doc_count: number }[] };
    readonly changed?: { readonly value?: number | null };
    readonly counts?: { readonly buckets?: Readonly<Record<string, { readonly doc_count: number }>> };
  };
  readonly suggest?: {
    readonly similar?: readonly { readonly options?: readonly { readonly text: string; readonly freq: number }[] }[];
  };
}
interface FoundHit {
  readonly _score?: number | null;
  readonly fields?: Readonly<Record<string, readonly (string | number)[] | undefined>>;
}

/**
 * Opens an index of OpenSearch for reading. Whether there is one is found at the first question. It rejects as an
 * {@link IndexReader} does, and with CrawlError BAD_SETTING where the server refuses the user, STORE_FAILED where there is none.
 * @throws CrawlError MISSING_PACKAGE, BAD_SETTING
 */
export async function openOpenSearchReader({ words, table, ...place }: OpenSearchReaderOptions): Promise<IndexReader> {
  const connection = await connect({ tries: 2, answerMs: ANSWER_MS, ...place });
  let known: { readonly notes: IndexNotes; readonly documents: number; readonly at: number } | undefined;

  /** @throws CrawlError NO_INDEX, WRONG_INDEX */
  async function look(): Promise<NonNullable<typeof known>> {
    if (known && performance.now() - known.at < KNOWN_MS) return known;
    const notes = await findIndex(connection);
    const problem = !notes
      ? 'found none'
      : notes.format !== OPENSEARCH_FORMAT
        ? `found one of format ${notes.format}`
        : words !== undefined && notes.words !== words
          ? `found one of words split by ${notes.words}`
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
    known = { notes, documents: Number((answer as { readonly count?: unknown }).count ?? 0), at: performance.now() };
    return known;
  }

  return {
    async info() {
      const { notes } = await look();
      return infoOf(connection, notes);
    },
    async search(query) {
      const { documents } = await look();
      return hitsOf(await ask(connection, searchBody(query, documents)), connection.name);
    },
    async documentCounts(terms) {
      await look();
      const filters = Object.fromEntries(terms.map((term, i) => [String(i), termQuery(term)]));
      const { aggregations } = await ask(connection, { size: 0, aggs: { counts: { filters: { filters } } } });
      return terms.map((_, i) => aggregations?.counts?.buckets?.[String(i)]?.doc_count ?? 0);
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
      const { suggest } = await ask(connection, { size: 0, suggest: { similar: { text, term } } });
      const options = suggest?.similar?.[0]?.options ?? [];
      return options.map(({ text: other, freq }) => ({ term: String(other), documents: Number(freq) }));
    },
    close: () => connection.close(),
  };
}

async function ask(connection: Connection, body: object): Promise<SearchAnswer> {
  return (await connection.ask('POST', '/_search?allow_partial_search_results=false', body)) as SearchAnswer;
}

async function infoOf(connection: Connection, { words, isWhole, made }: IndexNotes): Promise<IndexInfo> {
  const { hits, aggregations } = await ask(connection, {
    size: 0,
    track_total_hits: true,
    aggs: {
      languages: { terms: { field: 'language', size: MOST_LANGUAGES } },
      changed: { max: { field: 'indexedAt' } },
    },
  });
  const stats = (await connection.ask('GET', '/_stats/store')) as {
    readonly _all?: { readonly primaries?: { readonly store?: { readonly size_in_bytes?: number } } };
  };
  return {
    documents: Number(hits?.total?.value ?? 0),
    words,
    languages: Object.fromEntries(
      (aggregations?.languages?.buckets ?? []).map(({ key, doc_count }) => [key, doc_count]),
    ),
    bytes: Number(stats._all?.primaries?.store?.size_in_bytes ?? 0),
    changedAt: Number(aggregations?.changed?.value ?? made),
    isWhole,
  };
}

function hitsOf({ timed_out: isLate = false, hits }: SearchAnswer, name: string): IndexHits {
  if (!Array.isArray(hits?.hits)) throw unexpectedAnswer(name, 'the documents that a search found');
  const found = (hits.hits as readonly FoundHit[]).map(({ _score, fields = {} }): IndexHit => ({
    key: String(fields['key']?.[0] ?? ''),
    score: Number(_score ?? fields['rank']?.[0] ?? 0),
    language: String(fields['language']?.[0] ?? ''),
    fetchedAt: Number(fields['fetchedAt']?.[0] ?? 0),
    modifiedTime: Number(fields['modifiedTime']?.[0] ?? 0),
    rank: Number(fields['rank']?.[0] ?? 0),
    simhash: String(fields['simhash']?.[0] ?? ''),
  }));
  found.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
  return { total: Number(hits.total?.value ?? found.length), partial: 0, hits: found, isApproximate: isLate };
}
