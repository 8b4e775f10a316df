import type { CrawlPlan, HostFigures, PlannedRound } from '../../packages/webcrawl/internal.js';
import { bytes, duration, number, oneLine, quantity, safeLines } from './output.js';
import { table } from './table.js';

export function hostsText(hosts: readonly HostFigures[], now: number, columns: number): string {
  const head = [
    'pages',
    'fetched',
    'gone',
    'failed',
    'due',
    'delay',
    'mean',
    'slowest',
    'size',
    'requested',
    'state',
    'host',
  ];
  const rows = hosts.map((found) => {
    const { statuses, errors, delay, meanMs, slowestMs, lastRequestAt } = found;
    const failed = Object.values(errors).reduce((sum, n) => sum + n, 0);
    return [
      number(found.pages),
      number((statuses.fetched ?? 0) + (statuses.notmodified ?? 0)),
      number(statuses.gone ?? 0),
      number(failed),
      number(found.due),
      `${number(delay.seconds)} s`,
      meanMs === undefined ? '' : duration(meanMs / 1000),
      slowestMs === undefined ? '' : duration(slowestMs / 1000),
      bytes(found.bytes),
      lastRequestAt === undefined ? 'never' : `${duration(Math.max(0, now - lastRequestAt) / 1000)} ago`,
      stateOf(found),
      found.host,
    ];
  });
  return table([head, ...rows], { columns, spare: ['size', 'slowest', 'mean', 'requested'] });
}

function stateOf({ hosts, inBackoff, robots, delay }: HostFigures): string {
  if (inBackoff > 0) return hosts > 1 ? `${number(inBackoff)} in back-off` : 'in back-off';
  if (robots?.verdict === 'denies') return 'robots.txt denies';
  if (delay.by === 'Crawl-delay') return 'Crawl-delay';
  return hosts > 1 ? quantity(hosts, 'host') : '';
}

export function planText(plan: CrawlPlan): string {
  const { rounds, queues, queueCount, seconds, excluded, left, now, nextDueAt } = plan;
  const next = nextDueAt === undefined ? '' : ` The next page becomes due in ${duration((nextDueAt - now) / 1000)}.`;
  if (rounds.length === 0) return safeLines(`Nothing is due.${next}\n${reasonsText('Excluded', excluded)}`);
  const text = [
    ...rounds.map(roundText),
    ...(rounds.length > 1 ? [`All rounds take at least ${duration(seconds)}.`] : []),
    '',
  ];
  const head = ['pages', 'robots.txt', 'delay', 'response', 'time', 'queue'];
  const rows = queues.map(({ queue, pages, robots, delay, meanMs, seconds: time }) => [
    number(pages),
    number(robots),
    `${number(delay.seconds)} s (${delay.by})`,
    meanMs === undefined ? '' : duration(meanMs / 1000),
    duration(time),
    queue,
  ]);
  if (rows.length > 0) text.push(table([head, ...rows]).trimEnd(), '');
  if (queueCount > queues.length) text.push(`Queues that are not shown: ${number(queueCount - queues.length)}.`);
  if (left > 0) text.push(`In none of these rounds: ${quantity(left, 'page')} that ${left === 1 ? 'is' : 'are'} due.`);
  const notRequested: Record<string, number> = {};
  for (const round of rounds) {
    for (const [outcome, n] of Object.entries(round.notRequested))
      notRequested[outcome] = (notRequested[outcome] ?? 0) + n;
  }
  const ends = [reasonsText('Not requested', notRequested), reasonsText('Excluded', excluded)].join('');
  return safeLines(`${text.join('\n')}\n${ends}`.trimEnd(), Infinity) + '\n';
}

function roundText({ round, pages, requests, robots, queues, seconds, slowest }: PlannedRound): string {
  const what = round === 0 ? 'Open batches' : `Round ${number(round)}`;
  const files = robots > 0 ? `, ${number(robots)} of them for robots.txt` : '';
  const asked = `${quantity(pages, 'page')}, ${quantity(requests, 'request')}${files}, ${quantity(queues, 'queue')}`;
  const by =
    requests === 0
      ? ''
      : slowest === undefined
        ? '; the number of requests determines the time'
        : `; ${oneLine(slowest)} is the slowest`;
  return `${what}: ${asked}, ${duration(seconds)} at least${by}.`;
}

function reasonsText(title: string, reasons: Readonly<Record<string, number>>): string {
  const rows = Object.entries(reasons)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => [`  ${reason}`, number(n)]);
  return rows.length === 0 ? '' : `${title}\n${table(rows)}`;
}
