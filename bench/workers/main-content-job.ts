// Extracts the main content of the pages of both sets by one extractor, and compares it with the known content.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openContext, pageDump, rowKeyOf } from '../../packages/webcrawl/internal.js';
import {
  addArticle,
  addFragments,
  noMainContentScore,
  type ArticlePage,
  type FragmentPage,
} from '../lib/main-content-score.js';
import { MAIN_CONTENT, pagesOfSets } from '../lib/main-content-sets.js';
import { givenArgument, reply } from '../lib/worker.js';

/** Extracts the content of a page as text or Markdown, and measures the CPU time in ms. */
type Extract = (page: FragmentPage | ArticlePage) => Promise<{ text: string; cpuMs: number }>;

const { name, scale } = givenArgument<{ name: string; scale: number }>();
const { fragments, articles, isTuning } = await pagesOfSets(scale);
const none = noMainContentScore;
const score = { fragments: none(), heldOut: none(), articles: none(), cpuMs: 0 };
const extract = await extractor(name);
// A warm-up: code is compiled while the first pages are read.
for (const page of fragments.slice(0, 20)) await extract(page);
for (const page of fragments) {
  const { text, cpuMs } = await extract(page);
  addFragments(score.fragments, page, text);
  if (!isTuning(page.url)) addFragments(score.heldOut, page, text);
  score.cpuMs += cpuMs;
}
for (const page of articles) addArticle(score.articles, page, (await extract(page)).text);
reply(score);
process.exit();

async function extractor(which: string): Promise<Extract> {
  if (which === 'webcrawl') return ours();
  if (which === 'trafilatura') return trafilatura();
  return which === 'readability' ? readability() : defuddle();
}

/** Measures an extractor that runs in this process. */
function measured(extracts: (html: string, url: string) => string | Promise<string>): Extract {
  return async ({ html, url }) => {
    const cpu = process.cpuUsage();
    let text = '';
    try {
      text = await extracts(html.toString(), url);
    } catch {
      // Such a page counts as one without text.
    }
    const { user, system } = process.cpuUsage(cpu);
    return { text, cpuMs: (user + system) / 1000 };
  };
}

async function ours(): Promise<Extract> {
  const crawl = await openContext({ table: 'memory:' });
  const { dump } = await pageDump(crawl.settings, ['markdown']);
  return ({ html, url }) =>
    measured(() => {
      const { markdown } = dump({ key: rowKeyOf(url), content: html, contentType: 'text/html' });
      return typeof markdown === 'string' ? markdown : '';
    })({ html, url, article: '' });
}

async function readability(): Promise<Extract> {
  const { Readability } = (await import(MAIN_CONTENT.readability)) as {
    Readability: new (document: object) => { parse: () => { content?: string } | null };
  };
  const { parseHTML } = await linkedom();
  return measured((html) => textOf(parseHTML, new Readability(parseHTML(html).document).parse()?.content));
}

async function defuddle(): Promise<Extract> {
  const { Defuddle } = (await import(MAIN_CONTENT.defuddle)) as {
    Defuddle: (document: object, url: string, options: object) => Promise<{ content?: string }>;
  };
  const { parseHTML } = await linkedom();
  return measured(async (html, url) => {
    const { content } = await Defuddle(parseHTML(html).document, url, { useAsync: false });
    return textOf(parseHTML, content);
  });
}

/** The text of HTML, with a line break at the end of each block or line. */
function textOf(parseHTML: ParseHtml, html = ''): string {
  const parted = html.replace(/<\/(p|div|li|h\d|td|tr|blockquote)>|<br\b/g, '\n$&');
  // Without `html` around it, linkedom returns another, empty body.
  return parseHTML(`<html><body>${parted}</body></html>`).document.body.textContent;
}

type ParseHtml = (html: string) => { document: { body: { textContent: string } } };

async function linkedom(): Promise<{ parseHTML: ParseHtml }> {
  return (await import(MAIN_CONTENT.linkedom)) as Awaited<ReturnType<typeof linkedom>>;
}

/** A Python process that reads a page from each line and answers with a line. */
function trafilatura(): Promise<Extract> {
  const child = spawn(MAIN_CONTENT.python, [MAIN_CONTENT.trafilatura], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'close').then(([code]) => {
    throw new Error(`trafilatura ended with ${code}`);
  });
  return Promise.resolve(async ({ html }) => {
    const answer = once(lines, 'line');
    child.stdin.write(`${html.toString('base64')}\n`);
    const [line] = (await Promise.race([answer, ended])) as [string];
    return JSON.parse(line) as { text: string; cpuMs: number };
  });
}
