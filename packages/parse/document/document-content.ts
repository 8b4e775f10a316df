/** The content of a document, as plain data that can be sent between processes. Texts are untrusted. */
export interface DocumentContent {
  readonly title: string;
  readonly text: string;
  readonly language: string;
  /** The texts of the headings, in order. */
  readonly headings: readonly string[];
  readonly links: readonly DocumentLink[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Whether the content is incomplete: a limit was reached, or parts could not be read. */
  readonly truncated: boolean;
  /** Number of pages of a PDF with text whose characters are unknown. */
  readonly textLost?: number;
  /** Number of pages of a PDF without text. */
  readonly textless?: number;
}

export interface DocumentLink {
  /** The reference as written. If the document defines a base, the reference is resolved. */
  readonly href: string;
  readonly anchor: string;
}

interface DocumentFailure {
  /** A stable code: `malformed`, `encrypted`, `timeout`, `out_of_memory`, `pdf_text_lost`, `unsupported_type`. */
  readonly code: string;
  readonly message: string;
}

export interface DocumentJob {
  readonly kind: 'pdf' | 'office';
  readonly url: string;
  readonly content: Uint8Array;
  /** Maximum number of characters of text; below 0: no limit. */
  readonly textLimit: number;
}

export interface DocumentRequest extends DocumentJob {
  readonly parent: number;
}

export type DocumentAnswer = { readonly content: DocumentContent } | { readonly failure: DocumentFailure };

/**
 * A message from the process that reads documents. The first message is `ready`. After that, there is one message for each
 * {@link DocumentJob}: the answer, and the memory that the process uses, in bytes.
 */
export type DocumentMessage = 'ready' | { readonly answer: DocumentAnswer; readonly memory: number };

/**
 * Data shared with the thread that watches the process. The first number is {@link BUSY} while a document is read, else 0. The second
 * number is the id of the process that requested the document.
 */
export type DocumentWatch = Int32Array;

/** Maximum bytes of memory, of all kinds together, that the process may use. */
export const MAX_MEMORY = 512 * 1024 * 1024;

/** The state while a document is read. Otherwise the state is 0. */
export const BUSY = 1;

export function failed(code: string, message: string): DocumentAnswer {
  return { failure: { code, message } };
}
