// Extracts the main content of pages of one manual, and compares it with the content box of the manual.
import { readFileSync } from 'node:fs';
import { learnSite, mainContent, pageTraits } from '../../packages/core/index.js';
import { openContext } from '../../packages/webcrawl/internal.js';
import { BOXED_MANUALS, filesOf } from '../lib/boxed-manuals.js';
import { addBoxPage, noBoxScore } from '../lib/box-score.js';
import { givenArgument, reply } from '../lib/worker.js';

/** Number of pages from which the template of the site is learned. */
const SAMPLE = 50;

const { name, most, isBySite } = givenArgument<{ name: string; most: number; isBySite: boolean }>();
const manual = BOXED_MANUALS.find((each) => each.name === name)!;
await using crawl = await openContext({ table: 'memory:' });
const files = await filesOf(manual);
const score = noBoxScore();
/** The pages without a content box: frames, search pages, redirects. */
let withoutBox = 0;
let cpuMicroseconds = 0;
// The last files, so that most pages are not in the sample. The extractor leaves none of them out.
const sample = files.slice(-SAMPLE).flatMap((file) => pageTraits(pageOf(readFileSync(file)), crawl.settings) ?? []);
const template = isBySite ? learnSite(sample) : undefined;
for (const file of files) {
  if (score.pages === most) break;
  const html = readFileSync(file);
  const cpu = process.cpuUsage();
  const kept = mainContent(pageOf(html), crawl.settings, template);
  const { user, system } = process.cpuUsage(cpu);
  if (addBoxPage(score, html, manual, kept)) cpuMicroseconds += user + system;
  else withoutBox += 1;
}
reply({ ...score, withoutBox, cpuSeconds: cpuMicroseconds / 1e6 });

function pageOf(content: Uint8Array) {
  return { url: 'http://manual.example/page', content, contentType: 'text/html', charset: undefined };
}
