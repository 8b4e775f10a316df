// Turns the pages of a manual, or of the set of articles, into Markdown, and compares it with their main parts, and with the HTML that it
// was made from.
import { mainContent } from '../../packages/core/index.js';
import { openContext, pageDump, rowKeyOf } from '../../packages/webcrawl/internal.js';
import { addPage, noScore } from '../lib/markdown-score.js';
import { pagesOfSets } from '../lib/main-content-sets.js';
import { MANUALS, mainPartOf, pagesOf } from '../lib/manuals.js';
import { differences } from '../lib/rendered-markdown.js';
import { givenArgument, reply } from '../lib/worker.js';

const URL = 'http://manual.example/page';
const { name, most } = givenArgument<{ name: string; most: number }>();
const manual = MANUALS.find((each) => each.name === name);
await using crawl = await openContext({ table: 'memory:' });
const { dump } = await pageDump(crawl.settings, ['markdown']);
const score = noScore();
const differing: string[] = [];
let cpuMicroseconds = 0;
const pages = manual ? pagesOf(manual, most) : (await pagesOfSets(1)).fragments.slice(0, most).map(({ html }) => html);
for await (const html of pages) {
  const main = manual && mainPartOf(manual, html);
  if (manual && !main) continue;
  const page = { content: html, contentType: 'text/html' };
  const cpu = process.cpuUsage();
  const { markdown = '' } = dump({ key: rowKeyOf(URL), ...page });
  const { user, system } = process.cpuUsage(cpu);
  cpuMicroseconds += user + system;
  if (main) addPage(score, markdown as string, main);
  else score.pages += 1;
  const body = mainContent({ url: URL, ...page, charset: undefined }, crawl.settings);
  const found = body ? differences(body, markdown as string) : [];
  if (found.length > 0) differing.push(found.join('; '));
}
reply({ ...score, differing, cpuSeconds: cpuMicroseconds / 1e6 });
