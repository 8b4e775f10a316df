import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openContext, type AuditFinding } from '../../packages/webcrawl/internal.js';
import { urlOf } from '../../packages/core/index.js';
import { OURS } from './crawlers.js';
import { BENCH, PEERS, ROOT } from './folders.js';
import { firstLine } from './machine.js';
import type { CheckedSite } from './checked-manuals.js';

export interface CheckTask {
  readonly site: CheckedSite;
  readonly out: string;
}

/** A broken link: the path of its target, and the decoded fragment if only that is missing. */
export type BrokenLink = string;

export interface LinkChecker {
  readonly name: string;
  readonly version: () => string | undefined;
  readonly command: (task: CheckTask) => { readonly command: string; readonly args: readonly string[] };
  readonly broken: (task: CheckTask, stdout: string) => Promise<ReadonlySet<BrokenLink>>;
}

const LYCHEE = join(PEERS, 'lychee/bin/lychee');
const LINKCHECKER = join(PEERS, 'linkchecker/bin/linkchecker');
const LINKCHECKER_CONFIG = join(BENCH, 'peers/linkchecker/config');
/** Number of connections, the same for all; there is no delay. */
const CONNECTIONS = 8;
const RULES = /^(?:link-broken|link-server-error|resource-broken|redirect-broken|redirect-loop|fragment-missing)$/;

/** The audit. It crawls, and leaves the list of its pages for lychee, which follows no links. */
const webcrawl: LinkChecker = {
  name: 'webcrawl',
  version: OURS.version,
  command: ({ site, out }) => ({
    command: process.execPath,
    args: [
      join(ROOT, 'dist/bin/webcrawl.js'),
      ...[
        'audit',
        ...site.seeds,
        '--table',
        `level:${join(out, 'table')}`,
        '-o',
        join(out, 'report.ndjson'),
        '--quiet',
      ],
      ...['--delay', '0', '--set', `fetcher.threadsPerQueue=${CONNECTIONS}`, '--set', 'http.contentLimit=-1'],
    ],
  }),
  async broken({ out }) {
    await listPages(join(out, 'table'), join(out, 'pages.txt'));
    const found = new Set<BrokenLink>();
    for await (const line of createInterface({ input: createReadStream(join(out, 'report.ndjson')) })) {
      const finding = JSON.parse(line) as Partial<AuditFinding>;
      if (finding.rule && RULES.test(finding.rule)) found.add(linkOf(finding.url!, finding.severity === 'notice'));
    }
    return found;
  },
};

const lychee: LinkChecker = {
  name: 'lychee',
  version: () => firstLine(LYCHEE, ['--version'])?.replace('lychee ', ''),
  command: ({ site, out }) => ({
    command: LYCHEE,
    args: [
      ...['--files-from', join(out, 'pages.txt'), '--include-fragments=full', '--include-verbatim'],
      ...['--format', 'json', '--no-progress', '--exclude', '.*', '--include', `^${site.url}`, '--max-retries', '1'],
      ...['--max-concurrency', String(CONNECTIONS), '--host-concurrency', String(CONNECTIONS)],
      ...['--host-request-interval', '0ms', '-o', join(out, 'lychee.json')],
    ],
  }),
  async broken({ out }) {
    const { error_map: errors } = JSON.parse(await readFile(join(out, 'lychee.json'), 'utf8')) as {
      readonly error_map: Readonly<Record<string, readonly { readonly url: string }[]>>;
    };
    return new Set(Object.values(errors).flatMap((all) => all.map(({ url }) => linkOf(url))));
  },
};

const linkchecker: LinkChecker = {
  name: 'linkchecker',
  version: () => /[\d.]+/.exec(firstLine(LINKCHECKER, ['--version']) ?? '')?.[0],
  command: ({ site }) => ({
    command: LINKCHECKER,
    args: ['--config', LINKCHECKER_CONFIG, '--threads', String(CONNECTIONS), '--no-status', '-o', 'csv', ...site.seeds],
  }),
  broken(_, stdout) {
    // Columns before the URL: …; warning; information; valid. Other warnings, as of redirects, are no broken links.
    const lines = stdout.split('\n').filter((line) => /;False;http|;Anchor `.*;True;http/.test(line));
    return Promise.resolve(new Set(lines.map((line) => linkOf(/;(?:True|False);(http[^;]*);/.exec(line)![1]!))));
  },
};

export const LINK_CHECKERS: readonly LinkChecker[] = [webcrawl, lychee, linkchecker];

async function listPages(table: string, file: string): Promise<void> {
  await using crawl = await openContext({ table: `level:${table}` });
  const urls: string[] = [];
  for await (const row of crawl.tables.pages.scan({ fields: ['status', 'contentType'] })) {
    if (row.status === 'fetched' && row.contentType === 'text/html') urls.push(urlOf(row.key));
  }
  await writeFile(file, `${urls.join('\n')}\n`);
}

/** @param isNotice the finding is for all fragments of a page that scripts may make */
function linkOf(url: string, isNotice = false): BrokenLink {
  const { pathname, search, hash } = new URL(url);
  let place = hash;
  try {
    place = decodeURIComponent(hash);
  } catch {
    // The fragment cannot be decoded and is kept unchanged.
  }
  return isNotice ? `${pathname}${search}#*` : pathname + search + place;
}
