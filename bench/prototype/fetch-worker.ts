// The entry of a fetch worker. It owns the hosts that hash to it: their sockets, queues, delays and robots.txt. It reads the pages, follows
// their links, and writes bodies to its own segment. Data for the table is sent in groups.
import { hash } from 'node:crypto';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { statusVerdict } from '../../packages/fetch/http/http-status.js';
import { userAgent } from '../../packages/fetch/http/user-agent.js';
import { parseRobots } from '../../packages/fetch/robots/robots.js';
import { applyUrlChain, type UrlScope } from '../../packages/plugin-api/index.js';
import { resolveLink } from '../../packages/url/index.js';
import { urlPlugins } from '../../packages/webcrawl/plugins/page-plugins.js';
import { STATUS_CODES } from '../../webtable/schema.js';
import { ByteWriter } from './bytes.js';
import { GroupWriter, type PageFields } from './group.js';
import { Hosts, type Host, type Target } from './hosts.js';
import { HttpClient, type Answer } from './http-client.js';
import { hostnameOf, ownerOf, type FromWorker, type ToWorker, type WorkerTask } from './messages.js';
import { createPageReader, EMPTY_PAGE, headersOf, type ReadPage } from './page-reader.js';
import { SegmentWriter } from './segment.js';

/** Maximum number of pages in a group. */
const GROUP_PAGES = 32;
/** A group with this number of bytes in the segment is sent without waiting for more pages. */
const GROUP_BYTES = 4 * 2 ** 20;
/** Maximum milliseconds that a page waits for others of its group. */
const GROUP_MS = 200;
const MAX_TRIES = 3;
const MOST_BYTES = 64 * 2 ** 20;

if (parentPort) start(parentPort, workerData as WorkerTask);

function start(port: MessagePort, task: WorkerTask): void {
  const { settings, worker, workers } = task;
  const plugins = urlPlugins(settings, task.rules);
  const scope = task.hosts && new Set(task.hosts);
  const read = createPageReader(settings, targetOf);
  const hosts = new Hosts(task.delayMs);
  const segment = new SegmentWriter(task.folder, task.firstSegment, workers);
  const group = new GroupWriter();
  const client = new HttpClient({
    headers: `User-Agent: ${userAgent(settings.http)}\r\nAccept: ${settings.http.accept}\r\nAccept-Encoding: identity\r\n`,
    timeLimitMs: settings.http.timeLimit,
    mostBytes: MOST_BYTES,
  });
  /** Targets by absolute URL as written in pages, and by normalised URL; null for a rejected one. */
  const known = new Map<string, Target | null>();
  const linkBytes = new ByteWriter(65_536);
  let inFlight = 0;
  let received = 0;
  let groupTimer: NodeJS.Timeout | undefined;
  let isIdle = false;

  /** The target of a URL. A new page on a host of this worker is queued. */
  function targetOf(url: string, by: UrlScope): Target | null {
    const before = known.get(url);
    if (before !== undefined) return before;
    const verdict = applyUrlChain(plugins, url, by);
    const target = verdict.accepted ? (known.get(verdict.url) ?? newTarget(verdict.url)) : null;
    known.set(url, target);
    return target;
  }

  function newTarget(url: string): Target | null {
    const hostname = hostnameOf(url);
    if (!url.startsWith('http://') || (scope && !scope.has(hostname))) return null;
    const target = addTarget(url, ownerOf(hostname, workers) === worker);
    if (target.host) hosts.add(target as Target & { host: Host });
    return target;
  }

  function addTarget(url: string, isOwn: boolean): Target {
    const slash = url.indexOf('/', 'http://'.length);
    const host = isOwn ? hosts.of(url.slice(0, slash)) : undefined;
    const target = { url, host, path: url.slice(slash), tries: 0, page: 0, link: 0, group: 0, index: 0 };
    known.set(url, target);
    return target;
  }

  function pump(): void {
    while (inFlight < task.concurrency) {
      const host = hosts.nextHost();
      if (!host) break;
      if (host.robots === 'unknown') askRobots(host);
      else askPage(host, hosts.takePage(host));
    }
    if (inFlight === 0) rest();
  }

  /** Called when the worker has nothing to do. */
  function rest(): void {
    flush();
    if (isIdle || hosts.waiting > 0) return;
    isIdle = true;
    port.postMessage({ kind: 'idle', received } satisfies FromWorker);
  }

  function askRobots(host: Host): void {
    host.robots = 'asked';
    ask(host, '/robots.txt', (answer) => {
      if (!answer || answer.status >= 500) host.robots = 'unavailable';
      else if (answer.status !== 200) host.robots = 'none';
      else {
        const rules = parseRobots(answer.body).rulesFor([settings.http.agentName]);
        host.robots = rules;
        host.delayMs = Math.max(host.delayMs, 1000 * (rules.crawlDelay ?? 0));
      }
    });
  }

  function askPage(host: Host, target: Target): void {
    const { robots } = host;
    if (robots === 'unavailable') put(target, STATUS_CODES.unfetched);
    else if (typeof robots === 'object' && !robots.allowed(target.path).allowed) put(target, STATUS_CODES.gone);
    else {
      const start = performance.now();
      const fetchedAt = Date.now();
      ask(host, target.path, (answer) => {
        if (answer) take(target, answer, fetchedAt, Math.round(performance.now() - start));
        else if (++target.tries < MAX_TRIES) hosts.add(target as Target & { host: Host });
        else put(target, STATUS_CODES.unfetched);
      });
    }
    hosts.lineUp(host);
  }

  /** Requests a page. The next request is sent before the answer is processed. */
  function ask(host: Host, path: string, onAnswer: (answer: Answer | undefined) => void): void {
    inFlight++;
    if (host.delayMs > 0) host.isResting = true;
    client.get(host.server, host.name, path, (answer) => {
      inFlight--;
      if (host.isResting) setTimeout(() => endRest(host), host.delayMs);
      if (host.robots !== 'asked') pumpIfWaiting();
      onAnswer(answer);
      hosts.lineUp(host);
      pump();
    });
  }

  function endRest(host: Host): void {
    host.isResting = false;
    hosts.lineUp(host);
    pump();
  }

  function pumpIfWaiting(): void {
    if (hosts.waiting > 0) pump();
  }

  function put(target: Target, status: number): void {
    add(target, { ...NOTHING, status, fetchedAt: Date.now() }, undefined, [], []);
  }

  function take(target: Target, { status, head, body }: Answer, fetchedAt: number, fetchMs: number): void {
    const headers = headersOf(head);
    const location = headers['location'];
    const verdict = statusVerdict(status, false, location !== undefined);
    const fields = { ...NOTHING, http: status, fetchedAt, fetchMs };
    if (verdict.kind === 'redirect') {
      const to = location === undefined ? null : resolveLink(location, target.url);
      const code = verdict.permanent ? STATUS_CODES.redir_perm : STATUS_CODES.redir_temp;
      add(
        target,
        { ...fields, status: code },
        to === null ? undefined : (targetOf(to, 'redirect') ?? undefined),
        [],
        [],
      );
    } else if (verdict.kind !== 'content') {
      const code = verdict.kind === 'gone' ? STATUS_CODES.gone : STATUS_CODES.unfetched;
      add(target, { ...fields, status: code }, undefined, [], []);
    } else store(target, fields, head, body, read(target.url, headers, body));
  }

  function store(target: Target, fields: PageFields, head: Buffer, body: Buffer, page: ReadPage | undefined): void {
    const { title, text, targets, anchors } = page ?? EMPTY_PAGE;
    linkBytes.clear();
    for (let i = 0; i < targets.length; i++) {
      linkBytes.ascii(targets[i]!.url);
      linkBytes.text(anchors[i]!);
    }
    const place = segment.add(target.url, head, body, text, linkBytes.view());
    const digest = hash('sha1', body, 'buffer');
    const found = { ...fields, status: STATUS_CODES.fetched, title, bodyLength: body.length, place, digest };
    add(target, found, undefined, targets, anchors);
  }

  function add(
    target: Target,
    fields: PageFields,
    redirect: Target | undefined,
    targets: readonly Target[],
    anchors: readonly string[],
  ): void {
    group.addPage(target, fields, redirect, targets.length);
    for (let i = 0; i < targets.length; i++) group.addLink(targets[i]!, anchors[i]!);
    if (group.pages >= GROUP_PAGES || segment.gathered >= GROUP_BYTES) flush();
    else groupTimer ??= setTimeout(flush, GROUP_MS);
  }

  /** Writes the segment first, then tells the table. */
  function flush(): void {
    clearTimeout(groupTimer);
    groupTimer = undefined;
    if (group.pages === 0) return;
    if (segment.gathered > 0) segment.flush();
    const bytes = group.take();
    port.postMessage({ kind: 'group', bytes } satisfies FromWorker, [bytes.buffer]);
  }

  port.on('message', (message: ToWorker) => {
    if (message.kind === 'end') {
      client.close();
      port.postMessage({ kind: 'ended' } satisfies FromWorker);
      port.close();
      return;
    }
    received++;
    isIdle = false;
    for (const url of message.urls) {
      if (known.has(url)) continue;
      const target = addTarget(url, true);
      if (!message.isKnown) hosts.add(target as Target & { host: Host });
    }
    pump();
  });
}

const NOTHING: PageFields = {
  status: STATUS_CODES.unfetched,
  http: 0,
  fetchedAt: 0,
  fetchMs: 0,
  title: '',
  place: undefined,
  bodyLength: 0,
  digest: undefined,
};
