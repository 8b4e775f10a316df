// Extracts the main content of pages of one manual, and compares it with the content box of the manual.
import { readFileSync } from 'node:fs';
import { mainContent } from '../../packages/core/index.js';
import { openContext } from '../../packages/webcrawl/internal.js';
import { BOXED_MANUALS, filesOf } from '../lib/boxed-manuals.js';
import { addBoxPage, noBoxScore } from '../lib/box-score.js';
import { givenArgument, reply } from '../lib/worker.js';

const { name, most } = givenArgument<{ name: string; most: number }>();
const manual = BOXED_MANUALS.find((each) => each.name === name)!;
await using crawl = await openContext({ table: 'memory:' });
const files = await filesOf(manual);
const score = noBoxScore();
/** The pages without a content box: frames, search pages, redirects. */
let withoutBox = 0;
let cpuMicroseconds = 0;
// What an extractor learns from other pages of the manual it learns here, from the last 50 files, without the page itself.
for (const file of files) {
  if (score.pages === most) break;
  const html = readFileSync(file);
  const page = { url: 'http://manual.example/page', content: html, contentType: 'text/html', charset: undefined };
  const cpu = process.cpuUsage();
  const kept = mainContent(page, crawl.settings);
  const { user, system } = process.cpuUsage(cpu);
  if (addBoxPage(score, html, manual, kept)) cpuMicroseconds += user + system;
  else withoutBox += 1;
}
reply({ ...score, withoutBox, cpuSeconds: cpuMicroseconds / 1e6 });
