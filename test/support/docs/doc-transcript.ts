/** A block of a page that shows commands and what they print. */
export interface Transcript {
  /** The line of the page on which it begins. */
  readonly line: number;
  /** The commands of the block before are under way while those of this one run. */
  readonly meanwhile: boolean;
  readonly steps: readonly Step[];
}

/** A command, and what the page shows below it. */
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

/** What differs from run to run, and what stands for it. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  // Progress, of which a terminal keeps nothing.
  [/^\w[^:\n]*: [\d,]+ (done|of [\d,]+)\b.*\n/gm, ''],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/before-repair-\w+/g, 'before-repair-<time>'],
  [/\b\d{10}-\d+\b/g, '<batch>'],
  [/\b\d{13}\b/g, '<ms>'],
  [/\b\d[\d.]*( ms| s| min| h| d)( \d+ (s|min|h))?\b/g, '<duration>'],
  [/\b[\d.]+ kB/g, '<size>'],
  [/process \d+/g, 'process <pid>'],
  [/ {2,}/g, '  '],
];

/** The text with what differs from run to run left out: times, durations, ids, sizes and the widths of columns. */
export function stable(text: string): string {
  return VOLATILE.reduce((result, [pattern, by]) => result.replace(pattern, by), text.trimEnd());
}

/** Whether a text is as shown, where `…` stands for anything. */
export function isAsShown(shown: string, actual: string): boolean {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(actual);
}
