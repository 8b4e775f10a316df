// Turns the pages of a manual into Markdown, and compares it with their main parts.
import { openCrawl, pageDump, rowKeyOf } from '../../packages/webcrawl/index.js';
import { addPage, noScore } from '../lib/markdown-score.js';
import { MANUALS, mainPartOf, pagesOf } from '../lib/manuals.js';
import { givenArgument, reply } from '../lib/worker.js';

const { name, most } = givenArgument<{ name: string; most: number }>();
const manual = MANUALS.find((each) => each.name === name)!;
await using crawl = await openCrawl({ table: 'memory:' });
const { dump } = await pageDump(crawl.settings, ['markdown']);
const score = noScore();
let cpuMicroseconds = 0;
for await (const html of pagesOf(manual, most)) {
  const main = mainPartOf(manual, html);
  if (!main) continue;
  const cpu = process.cpuUsage();
  const { markdown } = dump({ key: rowKeyOf('http://manual.example/page'), content: html, contentType: 'text/html' });
  const { user, system } = process.cpuUsage(cpu);
  cpuMicroseconds += user + system;
  addPage(score, typeof markdown === 'string' ? markdown : '', main);
}
reply({ ...score, cpuSeconds: cpuMicroseconds / 1e6 });
