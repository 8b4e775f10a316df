import type { Command } from 'commander';
import type {
  OpenCheckContext,
  OpenContext,
  PageContent,
  UrlCheck,
  CharsetSource,
  ParseCheck,
} from '../../../packages/webcrawl/internal.js';
import { CrawlError, describeRuleInFull } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, openWithoutTable, type Cli } from '../../cli.js';
import { isUrl, readBytes, readUrls } from '../../input/input.js';
import { jsonLine, safeLines, say, write, number, oneLine } from '../../output/output.js';
import { table } from '../../output/table.js';

/**
 * Adds `check url|robots|parse`, which tests URLs against rules or a robots.txt, or the parse of a page. Of a table it reads only the
 * rules.
 */
export function addCheck(program: Command, cli: Cli): void {
  const check = program
    .command('check')
    .summary('try out URL rules, a robots.txt or the parser')
    .description(
      'Shows what a crawl would do with URLs, a robots.txt or a page. From the table it reads only the rules.',
    )
    .addHelpText(
      'after',
      `
Examples:
  webcrawl check url 'https://example.com/a?sid=1'
  webcrawl check robots https://example.com/robots.txt --agent mybot \\
      https://example.com/private/
  webcrawl check parse page.html --base https://example.com/`,
    );
  addCheckUrl(check, cli);
  addCheckRobots(check, cli);
  addCheckParse(check, cli);
}

function addCheckUrl(check: Command, cli: Cli): void {
  check
    .command('url')
    .summary('show how normalisers and filters change or reject URLs')
    .description(
      'Normalises and filters URLs like seeds. If there is a table, its rules are applied too. Exits with 1 when a URL is rejected.',
    )
    .argument('<url...>', 'URLs, or - for lines of standard input, each read up to the first tab')
    .addHelpText(
      'after',
      `
With --json it prints an object on each line: url, normalized, readableUrl (if it differs),
accepted, rejectedBy, rule, tableRule (the rule of the table that decides), relevant, key, host, domain.

Examples:
  webcrawl check url 'https://example.com/a?sid=1'
  webcrawl check url - --json < seeds.txt \\
      | jq -r 'select(.accepted | not) | .url'`,
    )
    .action(async (urls: string[]) => {
      const { checkUrl, rulesNow } = await library();
      await using crawl = await openForRules(cli);
      const rules = await rulesNow(crawl);
      await eachUrl(cli, urls, (url) => {
        const result = checkUrl(rules, url);
        return { ok: result.accepted, json: result, text: urlLine(result) };
      });
    });
}

/** Opens the table for its rules, if this is possible. Otherwise it reads only settings and plugins. */
async function openForRules(cli: Cli): Promise<OpenContext | OpenCheckContext> {
  try {
    return await open(cli, { name: 'check url' });
  } catch (error) {
    if (!(error instanceof CrawlError) || !NOT_NEEDED.has(error.code)) throw error;
    if (error.code !== 'NO_TABLE') say(cli.io, `The rules of the table are not used: ${error.message}`);
    return openWithoutTable(cli);
  }
}

const NOT_NEEDED: ReadonlySet<string> = new Set(['NO_TABLE', 'TABLE_LOCKED', 'TABLE_DAMAGED', 'TABLE_VERSION']);

function urlLine({ url, normalized, readableUrl, accepted, rejectedBy, rule, tableRule }: UrlCheck): string {
  const to = normalized === undefined || normalized === url ? url : `${url} -> ${normalized}`;
  const change = readableUrl === undefined || readableUrl === url ? to : `${to} (${readableUrl})`;
  const why = tableRule ? `rule ${describeRuleInFull(tableRule)}` : `${rejectedBy}: ${rule}`;
  if (!accepted) return `rejected  ${change}  by ${why}`;
  return `accepted  ${change}${tableRule ? `  by ${why}` : ''}`;
}

function addCheckRobots(check: Command, cli: Cli): void {
  check
    .command('robots')
    .summary('show whether a robots.txt allows URLs')
    .description(
      'Looks URLs up in a robots.txt, by RFC 9309. Exits with 1 when a URL is not allowed. If the file returns 4xx, all ' +
        'URLs are allowed. If the file is not available, the command fails.',
    )
    .argument('<robots>', 'robots.txt: a file, or a URL, which is fetched over at most five redirects')
    .argument('<url...>', 'URLs, paths that begin with /, or - for lines of standard input')
    .option('--agent <name>', 'name to look up (default: http.agentName and http.robotsAgents)')
    .addHelpText(
      'after',
      `
With --json it prints an object on each line: url, allowed, line (number and text), crawlDelay. The last object has
the sitemaps.

Examples:
  webcrawl check robots robots.txt --agent mybot /private/ /public/
  webcrawl check robots https://example.com/robots.txt - < urls.txt`,
    )
    .action(async (source: string, urls: string[], { agent }: { agent?: string }) => {
      await using context = await openWithoutTable(cli);
      const { agentName, robotsAgents } = context.settings.http;
      const body = await readRobots(cli, context, source);
      const { checkRobots } = await library();
      const robots = checkRobots(body, agent === undefined ? [agentName, ...robotsAgents] : [agent]);
      await eachUrl(cli, urls, (url) => {
        const result = robots.check(url);
        const { allowed, line, crawlDelay, error } = result;
        const by = error ?? (line ? `line ${line.number}: ${line.text}` : 'no line matches');
        const delay = crawlDelay === undefined ? '' : `, Crawl-delay ${crawlDelay} s`;
        return { ok: allowed, json: result, text: `${allowed ? 'allowed' : 'denied '}  ${url}  ${by}${delay}` };
      });
      if (cli.io.signal.aborted) return;
      const { sitemaps } = robots;
      if (cli.options().json) await write(cli.io.stdout, jsonLine({ sitemaps }));
      else for (const sitemap of sitemaps) await write(cli.io.stdout, `${safeLines(`sitemap  ${sitemap}`)}\n`);
    });
}

/** More bytes than any parser of robots.txt reads. */
const ROBOTS_BYTES = 1_048_576;

async function readRobots(cli: Cli, context: OpenCheckContext, source: string): Promise<Uint8Array> {
  if (source === '-')
    throw new CrawlError('USAGE', 'a robots.txt cannot be read from standard input; name a file or a URL');
  if (!isUrl(source)) return (await readBytes(source, cli.io, ROBOTS_BYTES)).bytes;
  const { fetchDocument } = await library();
  const found = await fetchDocument(await context.requesting(), source, {
    signal: cli.io.signal,
    contentLimit: ROBOTS_BYTES,
  });
  if (found.kind === 'content') return found.page.content;
  if (!cli.options().quiet) say(cli.io, `HTTP ${found.http}: there is no robots.txt at ${found.url}, all is allowed`);
  return new Uint8Array();
}

function addCheckParse(check: Command, cli: Cli): void {
  check
    .command('parse')
    .summary('show how the parser reads a page')
    .description(
      'Parses a page as the crawl would, and shows which of its links would be kept. Exits with 1 when the page ' +
        'cannot be parsed.',
    )
    .argument('<page>', 'file, http or https URL, or - for standard input')
    .option('--base <url>', 'URL of the page; needed for a file and standard input')
    .option('--sitemap', 'read the page as a sitemap or feed, up to 50 MiB')
    .option('--content-type <type>', 'Content-Type header to use instead of the header of the server')
    .addHelpText(
      'after',
      `
With --json it prints one object: url, contentType, charset, charsetSource (byte-order-mark, header, meta,
xml-declaration, valid-utf-8, default), language, title, text, outlinks (url, anchor, sitemap,
accepted, rejectedBy, rule), robots, canonical, refresh, metadata.

Examples:
  webcrawl check parse page.html --base https://example.com/
  webcrawl check parse https://example.com/sitemap.xml.gz --sitemap
  webcrawl check parse - --base https://example.com/ \\
      --content-type 'text/html; charset=shift_jis' < page`,
    )
    .action(async (source: string, options: ParseOptions) => {
      await using context = await openWithoutTable(cli);
      const { checkParse } = await library();
      const result = await checkParse(context, await readPage(cli, context, source, options));
      await write(cli.io.stdout, cli.options().json ? jsonLine(result) : parseCheckText(result));
      if (result.kind === 'failed') cli.exitCode = EXIT.nothing;
    });
}

interface ParseOptions {
  readonly sitemap?: true;
  readonly base?: string;
  readonly contentType?: string;
}

async function readPage(
  cli: Cli,
  context: OpenCheckContext,
  source: string,
  { base, contentType, sitemap }: ParseOptions,
): Promise<PageContent> {
  const url = base === undefined ? undefined : baseUrl(base);
  const { bodyLimit, fetchDocument } = await library();
  const contentLimit = bodyLimit(context.settings, sitemap);
  const stated = contentType !== undefined && {
    contentType: contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '',
  };
  if (isUrl(source)) {
    const found = await fetchDocument(await context.requesting(), source, { signal: cli.io.signal, contentLimit });
    if (found.kind === 'absent') throw new CrawlError('BAD_INPUT', `no page: the response has status ${found.http}`);
    const headers = { ...found.page.headers, ...(contentType !== undefined && { 'content-type': contentType }) };
    return { ...found.page, ...stated, sitemap, headers, ...(url !== undefined && { url }) };
  }
  if (url === undefined) throw new CrawlError('USAGE', 'a file needs --base, the URL of the page');
  const { bytes, truncated } = await readBytes(source, cli.io, contentLimit);
  const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
  return { url, content: bytes, contentType: '', ...stated, sitemap, headers, truncated };
}

function baseUrl(base: string): string {
  if (isUrl(base)) return new URL(base).href;
  throw new CrawlError('USAGE', `--base ${base}: not an http or https URL`);
}

async function eachUrl(
  cli: Cli,
  args: readonly string[],
  check: (url: string) => { readonly ok: boolean; readonly json: unknown; readonly text: string },
): Promise<void> {
  const { io } = cli;
  const { json } = cli.options();
  for await (const url of readUrls(args, io.stdin)) {
    if (io.signal.aborted) {
      cli.exitCode = EXIT.interrupted;
      return;
    }
    const result = check(url);
    if (!result.ok) cli.exitCode = EXIT.nothing;
    const line = json ? jsonLine(result.json) : `${safeLines(result.text.replace(/[\r\n]+/g, ' '))}\n`;
    await write(io.stdout, line);
  }
}

const MAX_TEXT_CHARACTERS = 2000;

function parseCheckText(page: ParseCheck): string {
  const { url, contentType } = page;
  const head: string[][] = [
    ['url', url],
    ['type', contentType],
  ];
  if (page.kind === 'failed') {
    head.push(['failed', page.message === undefined ? page.code : `${page.code}: ${page.message}`]);
    return safe(table(head));
  }
  const { robots, refresh, outlinks } = page;
  const said = (['noindex', 'nofollow', 'noarchive'] as const).filter((word) => robots[word]);
  const snippet = robots.maxSnippet === undefined ? [] : [`max-snippet:${robots.maxSnippet}`];
  const shown: [string, string | undefined][] = [
    ['charset', page.charset && charsetText(page.charset, page.charsetSource)],
    ['language', page.language],
    ['title', page.title],
    ['robots', [...said, ...snippet].join(', ') || 'says nothing'],
    ['canonical', page.canonical],
    ['refresh', refresh && `${refresh.url} after ${refresh.delay} s`],
    ['truncated', page.truncated ? 'the rest of the page was left out' : undefined],
    ...Object.entries(page.metadata).map(([name, value]): [string, string] => [`meta ${name}`, value]),
    ['links', `${number(outlinks.filter(({ accepted }) => accepted).length)} kept of ${number(outlinks.length)}`],
  ];
  const links = outlinks.map(({ accepted, url, anchor, sitemap, rejectedBy, rule }) => {
    const by = [rejectedBy, rule].filter((part) => part !== undefined).join(': ');
    return [accepted ? 'kept' : 'not kept', url, accepted ? (sitemap ? '(sitemap)' : anchor) : `by ${by}`];
  });
  const text = page.text.length > MAX_TEXT_CHARACTERS ? `${page.text.slice(0, MAX_TEXT_CHARACTERS)} …` : page.text;
  const rows = [...head, ...shown.filter((row): row is [string, string] => row[1] !== undefined)];
  return safe(
    [
      table(rows),
      links.length === 0 ? '' : `\n${links.map((row) => `${row.map(oneLine).join('  ').trimEnd()}\n`).join('')}`,
      text === '' ? '' : `\n${text}\n`,
    ].join(''),
  );
}

const CHARSET_SOURCES: Readonly<Record<CharsetSource, string>> = {
  'byte-order-mark': 'from the byte order mark',
  header: 'from the Content-Type header',
  meta: 'from a meta element',
  'xml-declaration': 'from the XML declaration',
  'valid-utf-8': 'no encoding is named, but the page is valid UTF-8',
  default: 'no encoding is named; this is parser.characterEncodingDefault',
};

function charsetText(charset: string, source: CharsetSource | undefined): string {
  return source === undefined ? charset : `${charset} (${CHARSET_SOURCES[source]})`;
}

function safe(text: string): string {
  return `${safeLines(text.trimEnd(), 3000)}\n`;
}
