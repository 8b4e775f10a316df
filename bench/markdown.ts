/** How much of the main part of pages becomes Markdown, and how much else: on manuals of which the main part is known. */
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { MANUALS, isThere } from './lib/manuals.js';
import type { MarkdownScore } from './lib/markdown-score.js';
import { runWorker } from './lib/worker.js';

/** Of each manual; they are spread over it. */
const PAGES = 200;

interface Sample extends MarkdownScore {
  readonly name: string;
  readonly generator: string;
  readonly cpuSeconds: number;
}

/** `markdown`: precision and recall on manuals. */
export const markdownBench: Bench = {
  about: 'precision and recall of the field markdown on manuals with known main parts',
  names: [],
  rounds: 1,
  run,
};

async function run({ scale, say }: BenchOptions): Promise<BenchResult> {
  const samples: Sample[] = [];
  const absent = MANUALS.filter((manual) => !isThere(manual));
  for (const { name, generator } of MANUALS.filter(isThere)) {
    say(name);
    const job = { name, most: scaled(PAGES, scale, 2) };
    const score = await runWorker<Omit<Sample, 'name' | 'generator'>>(
      new URL('workers/markdown-job.js', import.meta.url),
      job,
    );
    samples.push({ name, generator, ...score });
  }
  const rows = samples.map(({ name, generator, pages, found, wanted, right, cpuSeconds, ...counts }) => ({
    name,
    generator,
    pages,
    precision: right / found,
    recall: right / wanted,
    headings: counts.headings === 0 ? undefined : counts.headingsKept / counts.headings,
    code: counts.code === 0 ? undefined : counts.codeKept / counts.code,
    cpuMs: (cpuSeconds * 1000) / pages,
  }));
  const bars = (figure: 'precision' | 'recall') =>
    rows.map((row) => ({ label: row.name, value: row[figure], ours: true as const }));
  return {
    title: 'markdown: manuals against their main parts',
    columns: [
      { key: 'name', head: 'manual' },
      { key: 'generator', head: 'made by' },
      { key: 'pages', head: 'pages' },
      { key: 'precision', head: 'precision', digits: 3 },
      { key: 'recall', head: 'recall', digits: 3 },
      { key: 'headings', head: 'headings', digits: 3 },
      { key: 'code', head: 'lines of code', digits: 3 },
      { key: 'cpuMs', head: 'CPU ms a page', digits: 1 },
    ],
    rows,
    notes: [
      'Precision: the part of the words of the Markdown that are of the main part; recall: of its words those that are there.',
      'Headings and lines of code: the part of them that are headings and code in the Markdown.',
      ...(absent.length > 0
        ? [`Left out, since bench/install.sh has not fetched them: ${absent.map(({ name }) => name).join('; ')}.`]
        : []),
    ],
    chart: {
      title: 'Markdown of manuals',
      panels: [
        { title: 'precision', digits: 3, better: 'more', bars: bars('precision') },
        { title: 'recall', digits: 3, better: 'more', bars: bars('recall') },
      ],
    },
    samples,
  };
}
