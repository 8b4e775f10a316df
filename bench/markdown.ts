/**
 * How much of the content boxes of manuals is kept as main content, page by page and with the template of each site; and for how many pages
 * the rendered Markdown differs from the HTML of the main content in words, links, items, cells or code. Most of these manuals state no
 * generator that webcrawl knows.
 */
import { readFileSync } from 'node:fs';
import { learnSite, mainContent, pageTraits } from '../packages/core/index.js';
import { openContext, pageDump, rowKeyOf } from '../packages/webcrawl/internal.js';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { addBoxPage, noBoxScore, type BoxScore } from './lib/box-score.js';
import { BOXED_MANUALS, filesOf, isManualThere, type ManualSet } from './lib/boxed-manuals.js';
import { mainContentPages, missingSets } from './lib/page-sets.js';
import { differences } from './lib/rendered-markdown.js';
import { tabulate } from './lib/table.js';
import { runJob } from './lib/worker.js';

const PAGES = 60;
const COMPARISON_PAGES = 400;
const SITE_PAGES = 50;
const SETS: readonly ManualSet[] = ['tuning', 'held out', 'marked'];

export const markdownBench: Bench = {
  about: 'main content of manuals against their content boxes, and their Markdown against the main content',
  names: [],
  rounds: 1,
  run,
};

interface Sample extends Awaited<ReturnType<typeof scoreManual>> {
  readonly name: string;
  readonly set: ManualSet;
}

async function run({ scale, say }: BenchOptions): Promise<BenchResult> {
  const alone: Sample[] = [];
  const bySite: Sample[] = [];
  for (const { name, set } of BOXED_MANUALS.filter(isManualThere)) {
    say(name);
    const job = { name, maxPages: scaled(PAGES, scale, 2) };
    alone.push({ ...(await runJob(import.meta.url, scoreManual, job)), name, set });
    bySite.push({ ...(await runJob(import.meta.url, scoreManual, { ...job, isBySite: true })), name, set });
  }
  const missing = missingSets('comparison');
  const comparison =
    missing.length === 0
      ? await runJob(import.meta.url, scoreManual, { maxPages: scaled(COMPARISON_PAGES, scale, 2) })
      : undefined;
  const absent = [
    ...BOXED_MANUALS.filter((manual) => !isManualThere(manual)).map(({ name }) => name),
    ...missing.map((set) => `the ${set} set`),
  ];
  const { panels: _, ...table } = tableOf(alone);
  const { panels, ...second } = tableOf(bySite);
  return {
    title: 'markdown: main content of manuals against their content boxes, each page alone',
    ...table,
    more: [{ title: 'the same by the templates of their sites', ...second }],
    notes: [
      'Kept is the share of the words of the box that is kept; outside is the share of the kept words that is not of the box. A heading, pre or table is lost if less than half of its words are kept in an element of the same name. Make no choice by the manuals that are held out.',
      'Pages that differ: those of which the Markdown, as markdown-it shows it, has other words, links, items, cells or code than the HTML of the main content.',
      ...(comparison
        ? [`${comparison.differing!.length} of ${comparison.pages} pages of the comparison set differ.`]
        : []),
      ...(absent.length > 0 ? [`Left out, since bench/install.sh has not fetched them: ${absent.join('; ')}.`] : []),
    ],
    chart: { title: 'Main content of manuals, by the templates of their sites', panels },
    samples: { alone, bySite, comparison },
  };
}

/** The table of all manuals: the rows of each set end with the means of its shares and the sums of its counts. */
function tableOf(samples: readonly Sample[]) {
  const groups = SETS.flatMap((set) => {
    const ofSet = samples.filter((sample) => sample.set === set);
    const each = ofSet.map((sample) => ({ name: sample.name, set, some: [sample] }));
    return ofSet.length === 0 ? [] : [...each, { name: `${set}: means and sums`, set, some: ofSet }];
  });
  type Group = (typeof groups)[number];
  const sum =
    (figure: (sample: Sample) => number) =>
    ({ some }: Group): number =>
      some.reduce((total, sample) => total + figure(sample), 0);
  const mean =
    (figure: (sample: Sample) => number) =>
    (group: Group): number =>
      sum(figure)(group) / group.some.length;
  const kept = mean(({ words, wordsKept }) => wordsKept / words);
  const outside = mean(({ found, wordsKept }) => (found === 0 ? 0 : (found - wordsKept) / found));
  const { columns, rows } = tabulate<Group>(
    groups,
    {
      name: { head: 'manual', of: ({ name }) => name },
      set: { head: 'set', of: ({ set }) => set },
      pages: { head: 'pages', of: sum(({ pages }) => pages) },
      withoutBox: { head: 'without box', of: sum(({ withoutBox }) => withoutBox) },
      words: { head: 'words', of: sum(({ words }) => words) },
      kept: { head: 'kept', digits: 4, of: kept },
      outside: { head: 'outside', digits: 4, of: outside },
      headings: { head: 'headings', of: sum(({ headings }) => headings) },
      headingsLost: { head: 'lost', of: sum(({ headingsLost }) => headingsLost) },
      pres: { head: 'pre', of: sum(({ pres }) => pres) },
      presLost: { head: 'lost', of: sum(({ presLost }) => presLost) },
      tables: { head: 'tables', of: sum(({ tables }) => tables) },
      tablesLost: { head: 'lost', of: sum(({ tablesLost }) => tablesLost) },
      ...(samples.some(({ differing }) => differing) && {
        differing: { head: 'pages that differ', of: sum(({ differing }) => differing?.length ?? 0) },
      }),
      cpuMs: { head: 'CPU ms a page', digits: 1, of: mean(({ cpuSeconds, pages }) => (cpuSeconds * 1000) / pages) },
    },
    ({ name }) => ({ label: name }),
  );
  const { panels } = tabulate(
    groups.filter(({ name, set }) => name !== set && name.startsWith(`${set}: `)),
    {
      kept: { head: 'share of words kept', digits: 4, better: 'more', of: kept },
      outside: { head: 'share from outside', digits: 4, better: 'less', of: outside },
    },
    ({ set }) => ({ label: set }),
  );
  return { columns, rows, panels };
}

interface ManualJob {
  /** A manual. Absent: the comparison set, whose pages have no known box, so that only their Markdown is compared. */
  readonly name?: string;
  readonly maxPages: number;
  /** Extract with the template of the site, which is learned from other pages; compare no Markdown. */
  readonly isBySite?: boolean;
}

const URL = 'http://manual.example/page';

export async function scoreManual({ name, maxPages, isBySite = false }: ManualJob) {
  const manual = BOXED_MANUALS.find((each) => each.name === name);
  await using crawl = await openContext({ table: 'memory:' });
  const { dump } = await pageDump(crawl.settings, ['markdown']);
  const files = manual ? await filesOf(manual) : [];
  const pages = manual ? files : (await mainContentPages(1)).fragments.map(({ html }) => html);
  const score: BoxScore = noBoxScore();
  /** The pages without a content box: frames, search pages, redirects. */
  let withoutBox = 0;
  let cpuMicroseconds = 0;
  const differing: string[] = [];
  // The last files, so that most pages are not in the sample. The extractor leaves none of them out.
  const sample = files
    .slice(-SITE_PAGES)
    .flatMap((file) => pageTraits(pageOf(readFileSync(file)), crawl.settings) ?? []);
  const template = isBySite ? learnSite(sample) : undefined;
  for (const page of pages) {
    if (score.pages === maxPages) break;
    const html = typeof page === 'string' ? readFileSync(page) : page;
    const cpu = process.cpuUsage();
    const kept = mainContent(pageOf(html), crawl.settings, template);
    const { user, system } = process.cpuUsage(cpu);
    if (!manual) score.pages += 1;
    else if (!addBoxPage(score, html, manual, kept)) {
      withoutBox += 1;
      continue;
    }
    cpuMicroseconds += user + system;
    if (isBySite || !kept) continue;
    const { markdown = '' } = dump({ key: rowKeyOf(URL), content: html, contentType: 'text/html' });
    const found = differences(kept, markdown as string);
    if (found.length > 0) differing.push(found.join('; '));
  }
  return { ...score, withoutBox, cpuSeconds: cpuMicroseconds / 1e6, ...(!isBySite && { differing }) };
}

function pageOf(content: Uint8Array) {
  return { url: URL, content, contentType: 'text/html', charset: undefined };
}
