import type { IndexHits, Words } from '../index/index.js';
import { urlOf, type IndexDocument, type PageRow, type Tables } from '../core/index.js';
import type { ParsedQuery } from './query/parse-query.js';
import { queryText } from './query/query-text.js';
import type { FoldedHit } from './results/fold-hits.js';
import { shortLine } from './results/plain-text.js';
import { COPY_FIELDS, hasCopy, shownText } from './results/shown-text.js';
import { mainOf, proseOf, withoutHidden } from './results/shown-parts.js';
import { makeSnippet, withoutTitle, type SnippetInput, type SnippetPart } from './results/snippet.js';

/** A found page. URL, title and snippet are untrusted plain text: nothing in them is escaped. */
export interface SearchHit extends Pick<IndexDocument, 'language' | 'fetchedAt' | 'modifiedAt' | 'rank'> {
  readonly url: string;
  /** The title of the page, or its URL if the page has no title. */
  readonly title: string;
  /** The snippet. Empty if the page allows no snippet. */
  readonly snippet: readonly SnippetPart[];
  /** A page that the query names comes before pages with a higher score. */
  readonly score: number;
  /** Set if `serve` shows a copy of its text at `/cached`. A page may ask that no copy be shown, by `noarchive` for example. */
  readonly hasCopy?: true;
  /** Number of pages with nearly the same text that are folded behind this hit. */
  readonly alike?: number;
  /** Number of other pages of the same host that are folded behind this hit. To see them, use {@link hostQuery} or `fold: false`. */
  readonly moreFromHost?: number;
  /** The query that finds only pages of this host, if other pages of the host are folded. */
  readonly hostQuery?: string;
}

interface HitReaderInput {
  readonly pages: Pick<Tables['pages'], 'getMany'>;
  readonly words: Words;
  readonly rowsAtOnce: number;
}

/** Of a title, or of a URL that is shown instead. */
const MAX_TITLE_CHARACTERS = 200;
/** A shorter description does not replace a snippet of the text. */
const MIN_DESCRIPTION_CHARACTERS = 50;

const HIT_FIELDS = ['title', 'textRanges', 'pageMetadata', ...COPY_FIELDS] as const;

/** Makes the reader for the rows of hits. The reader reads `rowsAtOnce` rows at a time, and keeps only the shown part of each text. */
export function createHitReader({ pages, words, rowsAtOnce }: HitReaderInput) {
  /** Reads the data to show, a few rows at a time. Pages that are no longer in the table are left out. */
  async function read(
    some: readonly FoldedHit[],
    parsed: ParsedQuery,
    terms: ReadonlySet<string>,
    signal: AbortSignal | undefined,
  ): Promise<SearchHit[]> {
    const hits: SearchHit[] = [];
    for (let at = 0; at < some.length; at += rowsAtOnce) {
      signal?.throwIfAborted();
      hits.push(...(await readSome(some.slice(at, at + rowsAtOnce), parsed, terms, signal)));
    }
    return hits;
  }

  async function readSome(
    some: readonly FoldedHit[],
    parsed: ParsedQuery,
    terms: ReadonlySet<string>,
    signal: AbortSignal | undefined,
  ): Promise<SearchHit[]> {
    const rows = await pages.getMany(
      some.map(({ hit }) => hit.key),
      HIT_FIELDS,
    );
    const hits: SearchHit[] = [];
    for (const [i, { hit, alike, moreFromHost }] of some.entries()) {
      const row = rows[i];
      if (!row) continue;
      signal?.throwIfAborted();
      const { key, language, fetchedAt, modifiedAt, score, rank } = hit;
      const url = urlOf(key);
      const title = shortLine(row.title ?? '', MAX_TITLE_CHARACTERS);
      const snippet = await snippetOf(row, {
        words,
        language: language === '' ? undefined : language,
        terms,
        most: shownText(row).snippet,
        signal,
      });
      hits.push({
        url,
        title: title === '' ? shortLine(url, MAX_TITLE_CHARACTERS) : ownText(title),
        snippet: snippet.map((part) => ({ ...part, text: ownText(part.text) })),
        language,
        fetchedAt,
        modifiedAt,
        score,
        rank,
        ...(hasCopy(row) && { hasCopy: true as const }),
        ...(alike > 0 && { alike }),
        ...(moreFromHost > 0 && { moreFromHost, hostQuery: queryText(ofHost(parsed, new URL(url).hostname)) }),
      });
    }
    return hits;
  }

  async function formsOf(terms: readonly string[], { hits }: IndexHits): Promise<ReadonlyMap<string, string>> {
    const forms = new Map<string, string>();
    for (const { key, language: named } of hits.slice(0, 3)) {
      const [row] = await pages.getMany([key], ['title', 'text']);
      const language = named === '' ? undefined : named;
      for (const word of words.split(`${row?.title ?? ''}\n${(row?.text ?? '').slice(0, 20_000)}`, language)) {
        const stem = words.stem(word.term, language);
        if (terms.includes(stem) && !forms.has(stem)) forms.set(stem, word.term);
      }
    }
    return forms;
  }

  async function areThere(keys: readonly string[]): Promise<readonly boolean[]> {
    return (await pages.getMany(keys, ['status'])).map((row) => row !== undefined);
  }

  return { read, formsOf, areThere };
}

/**
 * Makes the snippet of a page. The snippet is from the first of these that has a word of the query: the prose, the description, the text
 * from the first prose to the last, and all text that may be shown. If none of them has a word of the query, the snippet is the
 * description, or the beginning of the prose if there is no long description.
 */
function snippetOf(row: PageRow<(typeof HIT_FIELDS)[number]>, input: SnippetInput): Promise<readonly SnippetPart[]> {
  const { text = '', textRanges, pageMetadata } = row;
  const title = (row.title ?? '').trim();
  // The text of a page begins with its title, and its prose may begin with a heading that is the title.
  const whole = withoutTitle(withoutHidden(text, textRanges), title, 2);
  const prose = withoutTitle(proseOf(text, textRanges), title, 1);
  if (prose === '') return makeSnippet([whole], input);
  const description = pageMetadata?.['description'] ?? '';
  const otherwise = description.length < MIN_DESCRIPTION_CHARACTERS ? prose : description;
  return makeSnippet([prose, description, mainOf(text, textRanges), whole], input, otherwise);
}

/** Returns the query for pages of one host. Other sites that the query names are removed. */
function ofHost(parsed: ParsedQuery, host: string): ParsedQuery {
  const others = parsed.operators.filter(({ name, isExcluded }) => name !== 'site' || isExcluded);
  return { ...parsed, operators: [...others, { name: 'site', value: host, isExcluded: false }] };
}

/**
 * Copies a text that was cut out of a longer one. Without the copy, V8 keeps the whole longer text in memory, so a snippet would keep the
 * whole text of its page in memory.
 */
function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
