import type { Command } from 'commander';
import type { OpenContext, ExportOptions, ExportSelection, Report } from '../../../packages/webcrawl/internal.js';

/** The help of `--output` and `--force`. */
export const OUTPUT_HELP = 'file or folder to make, or s3://bucket/name; - for standard output';
export const FORCE_HELP = 'replace an earlier export at the target, and no other files, when the new one is complete';

/** Help text on the rows that an export omits if its output is for readers. */
export const ALL_HELP = `Some rows are left out and counted: rows without a page (not fetched yet, gone, redirected), pages with noindex,
and duplicates that dedup has marked. --all exports them. With --status, --code, --due-before or --rejected,
rows without a page are exported too.`;

export function addAll(command: Command): Command {
  return command.option('--all', 'include pages that are gone or not fetched yet, pages with noindex, and duplicates');
}

/** The options of every export on the command line: target and selection. */
export type CommonExportOptions = ExportOptions & ExportSelection;

/** An export format, which is a sub-command of this name. */
export interface ExportFormat<O extends object = object> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Adds the format's own options. */
  readonly addOptions: (command: Command) => Command;
  /** The end of the help of this format: notes and examples. */
  readonly help: string;
  /** Whether the output with these options is text for a terminal. */
  readonly isText: (options: O) => boolean;
  readonly run: (crawl: OpenContext, common: CommonExportOptions, options: O) => Promise<Report>;
}
