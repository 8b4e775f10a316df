// Extracts the main content of pages of a manual, and compares it with the content box of the manual and with its Markdown. The pages of the
// comparison set have no known box, so only their Markdown is compared.
import { readFileSync } from 'node:fs';
import { learnSite, mainContent, pageTraits } from '../../packages/core/index.js';
import { openContext, pageDump, rowKeyOf } from '../../packages/webcrawl/internal.js';
import { BOXED_MANUALS, filesOf } from '../lib/boxed-manuals.js';
import { addBoxPage, noBoxScore } from '../lib/box-score.js';
import { pagesOfSets } from '../lib/main-content-sets.js';
import { differences } from '../lib/rendered-markdown.js';
import { givenArgument, reply } from '../lib/worker.js';

/** The pages of one manual, or of the comparison set, for which `name` is absent. */
export interface ManualJob {
  readonly name?: string;
  /** Maximum number of pages. */
  readonly most: number;
  /** Extract with the template of the site, which is learned from other pages; compare no Markdown. */
  readonly isBySite?: boolean;
}

/** Number of pages from which the template of the site is learned. */
const SAMPLE = 50;
const URL = 'http://manual.example/page';

const { name, most, isBySite = false } = givenArgument<ManualJob>();
const manual = BOXED_MANUALS.find((each) => each.name === name);
await using crawl = await openContext({ table: 'memory:' });
const { dump } = await pageDump(crawl.settings, ['markdown']);
const files = manual ? await filesOf(manual) : [];
const pages = manual ? files.map((file) => () => readFileSync(file)) : await comparisonPages();
const score = noBoxScore();
/** The pages without a content box: frames, search pages, redirects. */
let withoutBox = 0;
let cpuMicroseconds = 0;
const differing: string[] = [];
// The last files, so that most pages are not in the sample. The extractor leaves none of them out.
const sample = files.slice(-SAMPLE).flatMap((file) => pageTraits(pageOf(readFileSync(file)), crawl.settings) ?? []);
const template = isBySite ? learnSite(sample) : undefined;
for (const read of pages) {
  if (score.pages === most) break;
  const html = read();
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
reply({ ...score, withoutBox, cpuSeconds: cpuMicroseconds / 1e6, ...(!isBySite && { differing }) });

async function comparisonPages() {
  return (await pagesOfSets(1)).fragments.map(
    ({ html }) =>
      () =>
        html,
  );
}

function pageOf(content: Uint8Array) {
  return { url: URL, content, contentType: 'text/html', charset: undefined };
}
