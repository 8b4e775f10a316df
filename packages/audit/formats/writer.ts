import type { AuditFinding, AuditReport, AuditRule, AuditSummary } from '../report.js';
import type { MappedFolder } from './repository-path.js';

/** Writes a piece of a report: text, or bytes of a binary format. Resolves when the next piece can be written. */
export type Put = (piece: string | Uint8Array) => Promise<void>;

/** A second file of a report. `name` is its name in the link from the first file. */
export interface FileBeside {
  readonly name: string;
  readonly put: Put;
}

export interface WriteOptions {
  /** For csv and xlsx: a row for each link of a finding. For json and ndjson: `shown` has all links. */
  readonly sources?: boolean;
  /** For sarif: the folders of a repository with the source files of pages. */
  readonly map?: readonly MappedFolder[];
  /** For html: the file for the sources of a report with too many findings. */
  readonly beside?: FileBeside;
  /** For junit: whether a finding is a failure. Default: errors and warnings are. */
  readonly fails?: (finding: AuditFinding) => boolean;
}

/**
 * Writes a report in one format. It reads every finding once, in bounded memory.
 * @returns a sentence on data that the output lacks; undefined if the output lacks no data, or shows this itself
 */
export type AuditWriter = (report: AuditReport, put: Put, options: WriteOptions) => Promise<string | undefined>;

const CHUNK_CHARACTERS = 64 * 1024;

export function inPieces(put: Put): { add(text: string): Promise<void> | undefined; end(): Promise<void> } {
  let held = '';
  const flush = (): Promise<void> => {
    const piece = held;
    held = '';
    return put(piece);
  };
  return {
    add(text) {
      held += text;
      return held.length < CHUNK_CHARACTERS ? undefined : flush();
    },
    async end() {
      if (held !== '') await flush();
    },
  };
}

export function rulesById({ rules }: AuditSummary): (finding: Pick<AuditFinding, 'rule' | 'severity'>) => AuditRule {
  const known = new Map(rules.map((rule) => [rule.id, rule]));
  return ({ rule: id, severity }) => known.get(id) ?? { id, severity, group: 'other', title: id, help: '' };
}
