/** What is taken from a PDF, as plain data that passes between processes. Texts are untrusted. */
export interface PdfContent {
  readonly title: string;
  readonly text: string;
  /** As stated in the document. */
  readonly language: string;
  /** References as written, resolved where the document says so. */
  readonly links: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** A bound was reached, or pages could not be read. */
  readonly truncated: boolean;
}

/** Why nothing could be taken from a PDF. */
export interface PdfFailure {
  /** A stable word: `malformed`, `encrypted`, `timeout`, `out_of_memory`. */
  readonly code: string;
  /** Untrusted. */
  readonly message: string;
}

/** A PDF to read, and how much of it. */
export interface PdfJob {
  readonly url: string;
  readonly content: Uint8Array;
  /** Characters of text kept; below 0: no limit. */
  readonly textLimit: number;
}

/** A job, and the id of the process that wants it done. */
export interface PdfRequest extends PdfJob {
  readonly parent: number;
}

/** What comes of a {@link PdfJob}. */
export type PdfAnswer = { readonly content: PdfContent } | { readonly failure: PdfFailure };

/** What the process that reads PDFs says: that it can, and then to each {@link PdfJob} its answer and the bytes it holds. */
export type PdfMessage = 'ready' | { readonly answer: PdfAnswer; readonly memory: number };

/** Shared with the thread that watches the process: {@link BUSY} while a document is read, else 0; and the id of the process that wants it read. */
export type PdfWatch = Int32Array;

/** Bytes of memory, of any kind, that the process may take. */
export const MAX_MEMORY = 512 * 1024 * 1024;

/** The state while a document is read; 0 else. */
export const BUSY = 1;
