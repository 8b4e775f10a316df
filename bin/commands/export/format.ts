import type { Command } from 'commander';
import type { Crawl, ExportOptions, ExportSelection, Report } from '../../../packages/webcrawl/index.js';

/** The help of `--output` and `--force`. */
export const OUTPUT_HELP = 'the file or folder that is made, or s3://bucket/name; - for standard output';
export const FORCE_HELP = 'replace what an earlier export made there, and nothing else, when this one is whole';

/** Where an export goes and what is selected, as every export takes it from the command line. */
export type CommonExportOptions = ExportOptions & ExportSelection;

/** One thing that `export` makes: a sub-command of this name. */
export interface ExportFormat<O extends object = object> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Adds the options of its own. */
  readonly addOptions: (command: Command) => Command;
  /** What its help says at the end: notes, and examples. */
  readonly help: string;
  /** Whether these options make text, which a terminal can show. */
  readonly isText: (options: O) => boolean;
  readonly run: (crawl: Crawl, common: CommonExportOptions, options: O) => Promise<Report>;
}
