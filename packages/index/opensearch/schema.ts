import type { IndexDocument } from '../../plugin-api/index.js';
import type { IndexField } from '../reader.js';

/** Changes with the mapping, and with what a document becomes in it: an index of another is made anew. */
export const OPENSEARCH_FORMAT = '1';

/** The fields of the full text. */
export const TERM_FIELDS = ['title', 'headings', 'anchors', 'url', 'text'] as const satisfies readonly IndexField[];

/** What the index notes of itself, in its mapping as `_meta.webcrawl`. */
export interface IndexNotes {
  readonly format: string;
  /** Made at random with the index. */
  readonly id: string;
  /** The name of the tokenizer. */
  readonly words: string;
  /** The table whose pages it holds. */
  readonly table: string;
  /** When it was made, in ms since the epoch. */
  readonly made: number;
  /** How often it was opened for writing: what is written later has the greater version, whatever the clocks say. */
  readonly opened: number;
  readonly isWhole: boolean;
}

/** A document as it is stored. */
export interface StoredDocument extends Omit<IndexDocument, 'fetchedAt' | 'modifiedTime'> {
  /** In ms since the epoch; null unknown. */
  readonly fetchedAt: number | null;
  readonly modifiedTime: number | null;
  readonly host: string;
  /** Of the text, 16 hex digits; empty for a text of no words. */
  readonly simhash: string;
  /** When it came into the index as it is, in ms since the epoch. */
  readonly indexedAt: number;
  /** The words as they are looked for, with a blank between. */
  readonly terms: Readonly<Record<IndexField, string>>;
}

const shown = { type: 'text', index: false } as const;
const keyword = { type: 'keyword' } as const;
const time = { type: 'date', format: 'epoch_millis' } as const;
/** Terms come as our tokenizer made them: nothing is folded or stemmed again. */
const terms = { type: 'text', analyzer: 'whitespace' } as const;

/** What the index is made with. Shards and replicas are those of the cluster, or of an index template there. */
export function indexBody(notes: IndexNotes): object {
  return {
    settings: { index: { codec: 'best_compression' } },
    mappings: {
      dynamic: 'strict',
      _meta: { webcrawl: notes },
      properties: {
        key: keyword,
        url: keyword,
        host: keyword,
        language: keyword,
        title: shown,
        headings: shown,
        anchors: shown,
        text: shown,
        fetchedAt: time,
        modifiedTime: time,
        indexedAt: time,
        rank: { type: 'double' },
        simhash: keyword,
        fingerprint: keyword,
        terms: { dynamic: 'strict', properties: Object.fromEntries(TERM_FIELDS.map((name) => [name, terms])) },
      },
    },
  };
}

/** Openings of which versions are made: greater ones would not be whole numbers. */
const MOST_OPENED = 1e6;

/** The notes of a mapping; undefined where another program made the index. */
export function notesOf(mapping: unknown): IndexNotes | undefined {
  const { _meta } = (mapping ?? {}) as { readonly _meta?: { readonly webcrawl?: Partial<IndexNotes> } | null };
  const found = _meta?.webcrawl;
  if (typeof found !== 'object' || found === null) return undefined;
  const { format = 'none', id = '', words = 'none', table = '', made = 0, opened = 0, isWhole = false } = found;
  const areTexts = [format, id, words, table].every((value) => typeof value === 'string');
  const areNumbers = [made, opened].every((value) => Number.isSafeInteger(value) && value >= 0);
  if (!areTexts || !areNumbers || opened > MOST_OPENED || typeof isWhole !== 'boolean') return undefined;
  return { format, id, words, table, made, opened, isWhole };
}
