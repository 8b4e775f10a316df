import type {
  BackoffRecord,
  ContentExplanation,
  ExplainedPage,
  Explanation,
  RobotsExplanation,
} from '../../packages/webcrawl/internal.js';
import { LAST_MOMENT, describeRuleInFull } from '../../packages/webcrawl/names.js';
import { duration, number, oneLine, quantity, safeLines } from './output.js';
import { table } from './table.js';

type Row = readonly [name: string, ...values: string[]];

export function explanationText(explanation: Explanation): string {
  const { given, url, now, next, steps, robots, backoff, page } = explanation;
  const sections: [title: string, rows: readonly Row[]][] = [
    ['URL', urlRows(explanation)],
    ['Rules', [...steps.map((step): Row => [step.name, stepText(step)]), ...ruleRows(explanation)]],
    ['Robots', robots ? robotsRows(robots, now) : []],
    ['Host', backoff ? backoffRows(backoff, now) : []],
    ['Page', page ? pageRows(page, now) : []],
    ['Found on', (page?.inlinks ?? []).map((link): Row => [oneLine(link.url), quoted(link.anchor)])],
  ];
  const body = sections
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => `\n${title}\n${table(rows, { indent: '  ' })}`);
  return safeLines(`${oneLine(url ?? given)}\n\n${next.text}\n${body.join('')}`.trimEnd()) + '\n';
}

const ADDRESSES = {
  any: 'any',
  public: 'public addresses only',
  private: 'private addresses too',
  undecided: 'decided at the first fetch',
} as const;

function urlRows(explanation: Explanation): Row[] {
  const { given, url, readableUrl, accepted, rejectedBy, rule, key, host, domain, queue, addresses, scope, inbox } =
    explanation;
  const rows: Row[] = [['given', given]];
  if (url !== undefined) rows.push(['normalised', url]);
  if (readableUrl !== undefined) rows.push(['reads', readableUrl]);
  rows.push(['as a seed', accepted ? 'accepted' : `rejected by ${rejectedBy}: ${rule}`]);
  if (key !== undefined) rows.push(['row key', key]);
  if (host !== undefined) rows.push(['host', host]);
  if (domain !== undefined) rows.push(['domain', domain]);
  if (queue) {
    const name = queue.name ?? 'not looked up, see --robots';
    rows.push(['queue', `${name} (by ${queue.mode}), slot ${queue.slot}, ${number(queue.delay)} s between requests`]);
  }
  if (inbox !== undefined) rows.push(['inbox', `${number(inbox)} waiting for the owner of the slot`]);
  if (addresses) rows.push(['addresses', `${ADDRESSES[addresses.allowed]}: ${addresses.reason}`]);
  if (scope) rows.push(['last crawl', scopeText(scope)]);
  return rows;
}

/** Returns the scope as options of a crawl: `--stay host --depth 2 --exclude /print/`. */
function scopeText({ stay, depth, include, exclude }: NonNullable<Explanation['scope']>): string {
  return [
    `--stay ${stay}`,
    ...(depth === undefined ? [] : [`--depth ${depth}`]),
    ...include.map((pattern) => `--include ${pattern}`),
    ...exclude.map((pattern) => `--exclude ${pattern}`),
  ].join(' ');
}

function stepText(step: Explanation['steps'][number]): string {
  if (step.kind === 'filter') return step.accepted ? 'accepts' : `rejects: ${step.rule}`;
  return step.before === step.after ? 'leaves it' : `${step.before} -> ${step.after}`;
}

const DOES = { rewrites: 'changes it to', decides: 'decides', relevant: 'relevant' } as const;

function ruleRows({ rules = {} }: Explanation): Row[] {
  const found = Object.keys(DOES) as (keyof typeof DOES)[];
  return found.flatMap((name): Row[] => (rules[name] ? [[DOES[name], describeRuleInFull(rules[name])]] : []));
}

function robotsRows(robots: RobotsExplanation, now: number): Row[] {
  const { source, verdict, line, crawlDelay, fetchedAt, status, expired, message } = robots;
  if (source === 'none') return [['robots.txt', 'none stored; --robots fetches it now']];
  const rows: Row[] = [];
  if (fetchedAt !== undefined) {
    const when = source === 'fetched' ? 'fetched now' : `stored ${moment(fetchedAt, now)}${expired ? ', too old' : ''}`;
    rows.push(['robots.txt', `${when}, HTTP ${status}`]);
  }
  const by = line ? `, line ${line.number}: ${line.text}` : '';
  rows.push(['verdict', `${verdict}${message === undefined ? by : `: ${message}`}`]);
  if (crawlDelay !== undefined) rows.push(['crawl delay', `${crawlDelay} s`]);
  return rows;
}

function backoffRows({ failures, since, until, code, http, message }: BackoffRecord, now: number): Row[] {
  return [
    [until > now ? 'in back-off' : 'was in back-off', `until ${moment(until, now)}`],
    ['failures', `${number(failures)} in a row, the last at ${moment(since, now)}`],
    ['with', joined(code, http || undefined, message)],
  ];
}

const INDEXED = { current: 'in it', earlier: 'in it with an earlier fetch; run webcrawl index' } as const;

export function contentText({ kind, isManual, site }: ContentExplanation): string {
  const read = isManual ? 'as part of a manual' : 'as an article';
  if (kind === 'marked') return `${read}: the page names a generator of manuals`;
  if (!site) return `${read}, alone: no template of its site is stored`;
  const { url, number: version, manuals, pages } = site;
  const sample = `${manuals === 0 ? 'none' : number(manuals)} of ${quantity(pages, 'page')} of ${url}`;
  const votes = `${sample} ${manuals > 1 ? 'are part of a manual by themselves' : 'is part of a manual by itself'}`;
  const reasons = {
    manual: `: ${votes}`,
    articles: `: pages of its layout in ${url} are articles`,
    unknown: `, alone: ${manuals === 0 ? '' : 'only '}${votes}`,
    alone: `, alone: it is not like the pages of ${url}`,
  };
  return `${read}${reasons[kind]}, template ${version}`;
}

function rejectedText(rejected: Readonly<Record<string, number>>): string {
  return Object.entries(rejected)
    .map(([rule, links]) => `${number(links)} by ${rule}`)
    .join(', ');
}

function pageRows(page: ExplainedPage, now: number): Row[] {
  const { protocolStatus, parseStatus, marks } = page;
  const shown: [string, string | undefined][] = [
    ['status', page.status],
    ['protocol', protocolStatus && joined(protocolStatus.code, protocolStatus.http, protocolStatus.message)],
    ['parse', parseStatus && joined(parseStatus.code, parseStatus.message)],
    ['title', page.title],
    ['main content', page.mainContent && contentText(page.mainContent)],
    ['search index', page.indexed && INDEXED[page.indexed]],
    ['type', page.contentType],
    ['redirect', page.redirectTarget],
    ['due', page.dueAt === undefined ? undefined : moment(page.dueAt, now)],
    ['last fetch', page.fetchedAt === undefined ? undefined : moment(page.fetchedAt, now)],
    ['interval', page.fetchInterval === undefined ? undefined : duration(page.fetchInterval)],
    ['retries', page.retries === undefined ? undefined : String(page.retries)],
    ['score', page.score === undefined ? undefined : number(page.score, 6)],
    ['cash', page.cash === undefined ? undefined : number(page.cash, 6)],
    ['relevant', page.relevant === undefined ? undefined : page.relevant ? 'yes' : 'no'],
    ['links rejected', page.rejectedLinks && rejectedText(page.rejectedLinks)],
    ['sitemap', page.sitemap && 'named by a robots.txt, a sitemap index or a seed'],
    ['seed', page.isSeed ? 'yes' : 'no'],
    ['distance', page.distance === undefined ? undefined : String(page.distance)],
    ['inlinks', page.inlinkCount === undefined ? undefined : number(page.inlinkCount)],
    ['signature', page.signature],
    ['damaged', page.damaged?.join(', ')],
  ];
  return [
    ...shown.filter((row): row is [string, string] => row[1] !== undefined),
    ...marks.map(({ mark, value, batchState }): Row => {
      return [`mark ${mark}`, batchState === undefined ? value : `${value} (batch ${batchState})`];
    }),
  ];
}

/** Formats a time: `2023-11-14T22:13:20.000Z (2 h 5 min ago)`. */
function moment(time: number, now: number): string {
  if (!(Math.abs(time) <= LAST_MOMENT)) return String(time);
  const seconds = Math.abs(time - now) / 1000;
  const relative = seconds < 1 ? 'now' : time > now ? `in ${duration(seconds)}` : `${duration(seconds)} ago`;
  return `${new Date(time).toISOString()} (${relative})`;
}

function joined(...parts: readonly (string | number | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

function quoted(text: string): string {
  return text === '' ? '(no text)' : `"${text}"`;
}
