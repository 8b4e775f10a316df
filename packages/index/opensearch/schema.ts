import type { IndexDocument } from '../../core/index.js';
import type { IndexField, StoredField } from '../reader.js';

/**
 * The number of the format. Increase it with every change of the mapping, or of the stored form of a document. An index of another format
 * is rebuilt.
 */
export const OPENSEARCH_FORMAT = '5';

export const TERM_FIELDS = ['title', 'headings', 'anchors', 'url', 'text'] as const satisfies readonly IndexField[];

export interface IndexMetadata {
  readonly format: string;
  readonly id: string;
  readonly words: string;
  readonly table: string;
  readonly made: number;
  /**
   * How often the index was opened for writing. The versions of documents are computed from this number. So a later write has a greater
   * version, even if a clock is wrong.
   */
  readonly opened: number;
  readonly isWhole: boolean;
}

export interface StoredDocument extends Omit<IndexDocument, 'fetchedAt' | 'modifiedAt'> {
  /** When the page was last fetched, in ms since the epoch; null: unknown. */
  readonly fetchedAt: number | null;
  readonly modifiedAt: number | null;
  readonly host: string;
  /**
   * The part of the title that is shown for a hit. It is stored as a separate field, because it can then be read without the whole
   * document.
   */
  readonly shownTitle: string;
  /** Simhash of the text, 16 hex digits; empty for a text without words. */
  readonly simhash: string;
  /** When this version came into the index, in ms since the epoch. */
  readonly indexedAt: number;
  /** The terms of each field by which a document is found, separated by blanks. */
  readonly terms: Readonly<Record<StoredField, string>>;
}

const shown = { type: 'text', index: false } as const;
const keyword = { type: 'keyword' } as const;
const time = { type: 'date', format: 'epoch_millis' } as const;
/** Terms come from the tokenizer of webcrawl. OpenSearch must not fold or stem them again. */
const terms = { type: 'text', analyzer: 'whitespace' } as const;

/** The definition of a new index. The numbers of shards and replicas come from the cluster, or from an index template of the cluster. */
export function indexBody(metadata: IndexMetadata): object {
  return {
    settings: { index: { codec: 'best_compression' } },
    mappings: {
      dynamic: 'strict',
      _meta: { webcrawl: metadata },
      properties: {
        key: keyword,
        url: keyword,
        host: keyword,
        language: keyword,
        title: shown,
        shownTitle: { type: 'keyword', index: false },
        headings: shown,
        anchors: shown,
        text: shown,
        fetchedAt: time,
        modifiedAt: time,
        indexedAt: time,
        rank: { type: 'double' },
        simhash: keyword,
        fingerprint: keyword,
        terms: { properties: Object.fromEntries([...TERM_FIELDS, 'names'].map((name) => [name, terms])) },
      },
    },
  };
}

/** With more, versions would not be safe integers. */
const MAX_OPENINGS = 1e6;

/** The metadata in a mapping. Undefined: another program made the index. */
export function metadataOf(mapping: unknown): IndexMetadata | undefined {
  const { _meta } = (mapping ?? {}) as { readonly _meta?: { readonly webcrawl?: Partial<IndexMetadata> } | null };
  const found = _meta?.webcrawl;
  if (typeof found !== 'object' || found === null) return undefined;
  const { format = 'none', id = '', words = 'none', table = '', made = 0, opened = 0, isWhole = false } = found;
  const areTexts = [format, id, words, table].every((value) => typeof value === 'string');
  const areNumbers = [made, opened].every((value) => Number.isSafeInteger(value) && value >= 0);
  if (!areTexts || !areNumbers || opened > MAX_OPENINGS || typeof isWhole !== 'boolean') return undefined;
  return { format, id, words, table, made, opened, isWhole };
}
