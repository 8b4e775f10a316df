/** A block of a page with commands and their output. */
export interface Transcript {
  /** The line of the page on which it begins. */
  readonly line: number;
  /** The commands of the block before still run while those of this block do. */
  readonly meanwhile: boolean;
  readonly steps: readonly Step[];
}

/** A command, and the output that the page shows. */
export interface Step {
  readonly command: string;
  readonly output: string;
}

/** The blocks of a page that are marked as `console`: a command follows `$ `, all else is output. */
export function transcripts(page: string): Transcript[] {
  return [...page.matchAll(/^```console( meanwhile)?\n(.*?)^```$/gms)].map(({ 1: meanwhile, 2: text = '', index }) => ({
    line: page.slice(0, index).split('\n').length,
    meanwhile: meanwhile !== undefined,
    steps: text
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...output] = step.split('\n');
        return { command, output: output.join('\n') };
      }),
  }));
}

/** Parts that differ between runs, and their replacements. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  // Lines of progress, which do not stay on a terminal.
  [/^\w[^:\n]*: [\d,]+ (done|of [\d,]+)\b.*\n/gm, ''],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/before-repair-\w+/g, 'before-repair-<time>'],
  [/\b\d{4}-\d\d-\d\d( \d\d:\d\d( UTC|Z))?/g, '<time>'],
  [/\b\d{10}-\d+\b/g, '<batch>'],
  [/\b\d{13}\b/g, '<ms>'],
  [/\b\d[\d.]*( ms| s| min| h| d)( \d+ (s|min|h))?\b/g, '<duration>'],
  [/\b[\d.]+ kB/g, '<size>'],
  [/process \d+/g, 'process <pid>'],
  [/ {2,}/g, '  '],
];

/** Replaces the parts of a text that differ between runs: times, durations, ids, sizes and the widths of columns. */
export function stable(text: string): string {
  return VOLATILE.reduce((result, [pattern, by]) => result.replace(pattern, by), text.trimEnd());
}

/** Whether a text is as shown. `…` matches any text; a line of its own matches any lines, or none. */
export function isAsShown(shown: string, actual: string): boolean {
  const pattern = shown
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\n…(?=\n|$)/g, '(?:\n.*)?')
    .replaceAll('…', '.*');
  return new RegExp(`^${pattern}$`, 's').test(actual);
}
