/**
 * The jobs of a worker, in single steps. Each use of `laws` is a switch: with the law, the code is the design; without it, the code breaks the law on purpose.
 */
import type { Cell } from './cell-store.js';
import {
  SLOTS,
  batchOf,
  foldLinks,
  hostOf,
  linksOf,
  newPage,
  release,
  rowIn,
  select,
  slotOf,
  storeOutcome,
  timeIn,
  withoutBatch,
  type Batch,
  type Lease,
  type Link,
  type LinksOfChunk,
  type Page,
} from './decide.js';
import {
  LeaseLost,
  changeRows,
  changeShared,
  confirm,
  get,
  keysOf,
  put,
  type Change,
  type Steps,
  type Worker,
} from './steps.js';

/** Ticks between two requests to a host. */
export const DELAY = 40;
const ROWS_OF_STEP = 2;

/** The web of the model: the links of each page. */
export type Web = ReadonlyMap<string, readonly string[]>;

function* inSteps<T>(items: readonly T[], work: (some: readonly T[]) => Steps): Steps {
  for (let i = 0; i < items.length; i += ROWS_OF_STEP) yield* work(items.slice(i, i + ROWS_OF_STEP));
}

/** Puts seeds into the inboxes. It owns no slot, and may run anywhere. */
export function* inject(run: string, seeds: readonly string[]): Steps {
  for (const row of seeds) {
    const entry: LinksOfChunk = { chunk: `seed-${run}`, links: 'seed' };
    yield { kind: 'put', table: 'inbox', key: `${slotOf(row)}|${entry.chunk}|${row}`, value: entry, at: 1 };
  }
}

export function* takeLeases(me: Worker, asks: boolean): Steps {
  for (const slot of me.wanted) {
    let taken: Lease | undefined;
    let askedAt = -DELAY as Lease['askedAt'];
    let inTheWay = false;
    do {
      if (!me.isHeld() || (inTheWay && me.isStopping())) throw new LeaseLost();
      yield* changeShared('leases', String(slot), (found) => {
        const { holder = '', name, epoch = 0 } = found ?? {};
        if (holder === me.id) return void (taken = found);
        inTheWay = holder !== '' && !me.isDead(holder);
        if (inTheWay) return undefined;
        askedAt = found?.askedAt ?? askedAt;
        if (!me.laws.clockAfterLease && askedAt === 'running') askedAt = me.now();
        const isAgain = !me.laws.newEpoch && name === me.name;
        taken = { holder: me.id, name: me.name, epoch: isAgain ? epoch : epoch + 1, askedAt };
        return asks ? { ...taken, askedAt: 'running' } : taken;
      });
      if (inTheWay) yield { kind: 'wait', until: me.now() + 5 };
    } while (inTheWay);
    me.epochs.set(slot, taken!.epoch);
    // A holder that was taken for dead may have sent a request until the lease was taken.
    const since = askedAt === 'running' ? me.now() : askedAt;
    if (me.laws.askedAt) me.notBefore.set(`slot ${slot}`, since + DELAY);
  }
}

function* releaseLeases(me: Worker, asked: boolean): Steps {
  for (const slot of me.wanted) {
    yield* changeShared('leases', String(slot), (found) =>
      found?.holder === me.id ? { ...found, holder: '', ...(asked && { askedAt: me.now() }) } : undefined,
    );
  }
}

/** The loop of a worker. */
export function* crawl(me: Worker, web: Web): Steps {
  yield* takeLeases(me, true);
  while (!me.isStopping()) {
    if (me.noticesLoss()) throw new LeaseLost();
    yield* adopt(me);
    for (const batch of me.batches) yield* work(me, batch, web);
    if (me.folds()) yield* fold(me);
    const batch = yield* generate(me);
    if (batch !== undefined) yield* work(me, batch, web);
    yield* close(me);
    yield { kind: 'wait', until: me.now() + 4 };
  }
  yield* releaseLeases(me, true);
}

/** A job over the rows of all slots, such as rank: it takes a slot, changes its rows, and gives it back. */
export function* changeAll(me: Worker): Steps {
  yield* takeLeases(me, false);
  const rows = (yield* keysOf('pages')).filter((row) => me.epochs.has(slotOf(row)));
  yield* inSteps(rows, (some) =>
    changeRows(me, some, function* (pages) {
      return pages.map((page) => ({ page: page && { ...page, rank: page.rank + 1, dueAt: rankedDue(me, page) } }));
    }),
  );
  yield* releaseLeases(me, false);
}

const rankedDue = (me: Worker, { heldBy, dueAt, fetches }: Page): number =>
  heldBy === undefined && fetches === 1 ? me.now() + Math.floor(me.random() * 60) : dueAt;

/** Takes over the batches in the own slots that another worker has generated or left. */
function* adopt(me: Worker): Steps {
  for (const batch of yield* keysOf('batches')) {
    if (me.batches.has(batch)) continue;
    const header = (yield* get('batches', batch))?.value;
    const slots = ownSlots(me, header);
    if (!header || slots.length === 0) continue;
    if (header.state === 'generating') {
      yield* giveBack(me, batch, slots, withoutBatch);
      yield* leave(me, batch, slots);
      continue;
    }
    // The changes are empty, so only rows of an earlier epoch are written.
    if (me.laws.claim) {
      for (const slot of slots) {
        yield* inSteps((yield* keysOf('index', `${slot}|${batch}|`)).map(rowIn), (rows) =>
          changeRows(me, rows, function* (pages) {
            return pages.map(() => ({}));
          }),
        );
      }
    }
    me.batches.add(batch);
  }
}

const ownSlots = (me: Worker, header: Batch | undefined): number[] =>
  (header?.slots ?? []).filter((slot) => me.epochs.has(slot));

/** Returns rows of a batch to the frontier. */
function* giveBack(me: Worker, batch: string, slots: readonly number[], how: (page: Page) => Page): Steps {
  for (const slot of slots) yield* giveBackRows(me, batch, yield* keysOf('index', `${slot}|${batch}|`), how);
}

function* giveBackRows(me: Worker, batch: string, entries: readonly string[], how: (page: Page) => Page): Steps {
  yield* inSteps(entries, (keys) =>
    changeRows(me, keys.map(rowIn), function* (pages) {
      return pages.map((page, i): Change => {
        if (page?.heldBy === batch) return { page: how(page) };
        return { stale: [{ table: 'index', key: keys[i]! }] };
      });
    }),
  );
}

/** Removes slots from the header of a batch. */
function* leave(me: Worker, batch: string, slots: readonly number[]): Steps {
  if (me.laws.confirmBeforeLeave) yield* confirm(me, slots);
  yield* changeShared('batches', batch, (header) => {
    const left = header?.slots.filter((slot) => !slots.includes(slot)) ?? [];
    if (!header || left.length === header.slots.length) return undefined;
    if (left.length > 0) return { ...header, slots: left };
    if (header.state === 'generating') return closed(me, header);
    return { ...header, slots: [], state: 'updated' };
  });
  me.batches.delete(batch);
}

/** The last state of a batch. Its header stays, or a late call could create it again. */
const closed = (me: Worker, header: Batch): Batch | null =>
  me.laws.keepName ? { ...header, slots: [], state: 'closed' } : null;

/** Selects due rows of the own slots. */
function* generate(me: Worker): Steps<string | undefined> {
  const now = me.now();
  const due: string[] = [];
  for (const slot of me.epochs.keys())
    due.push(...(yield* keysOf('frontier', `${slot}|`)).filter((key) => timeIn(key) <= now));
  if (due.length === 0) return undefined;
  const some = due.slice(0, 1 + Math.floor(me.random() * 6));
  // An id is never used again.
  const batch = `${me.id}.${++me.counter}`;
  const header: Batch = {
    state: me.laws.headerFirst ? 'generating' : 'open',
    slots: [...me.epochs.keys()],
    linked: [],
    pagesOfChunk: 0,
  };
  const writeHeader = (): Steps => changeShared('batches', batch, (found) => (found ? undefined : header));
  if (me.laws.headerFirst) yield* writeHeader();
  let size = 0;
  yield* inSteps(some, (keys) =>
    changeRows(me, keys.map(rowIn), function* (pages) {
      const changes: Change[] = [];
      for (const [i, page] of pages.entries()) {
        const found = { table: 'frontier', key: keys[i]! } as const;
        const free = page && ((yield* isHeld(me, rowIn(keys[i]!), page)) ? undefined : withoutBatch(page));
        if (free && free.dueAt <= now) {
          changes.push({ page: selectBy(me, free, batch), stale: [found] });
          size++;
        } else changes.push({ page: page?.heldBy !== undefined ? free : undefined, stale: [found] });
      }
      return changes;
    }),
  );
  if (!me.laws.headerFirst) yield* writeHeader();
  if (size === 0) {
    yield* leave(me, batch, header.slots);
    return undefined;
  }
  yield* changeShared('batches', batch, (found) =>
    found?.state === 'generating' ? { ...found, state: 'open' } : undefined,
  );
  me.batches.add(batch);
  return batch;
}

/** Whether a batch holds a row. The mark of a batch that has left the slot is void: a writer that was taken for dead has set it late. */
function* isHeld(me: Worker, row: string, { heldBy }: Page): Steps<boolean> {
  if (heldBy === undefined || !me.laws.voidMarks) return heldBy !== undefined;
  const header = yield* get('batches', heldBy);
  return header?.value.slots.includes(slotOf(row)) ?? false;
}

function* work(me: Worker, batch: string, web: Web): Steps {
  const header = (yield* get('batches', batch))?.value;
  if (header?.state === 'open') yield* fetch(me, batch, ownSlots(me, header), web);
  if (!me.isStopping()) yield* updatedb(me, batch);
}

function* fetch(me: Worker, batch: string, slots: readonly number[], web: Web): Steps {
  for (const slot of slots) {
    const rows = (yield* keysOf('index', `${slot}|${batch}|`)).map(rowIn);
    for (const row of rows) {
      const page = (yield* get('pages', row))?.value;
      if (page?.heldBy !== batch || page.fetchedBy === batch) continue;
      if (me.isStopping()) return;
      const host = hostOf(row);
      const time = Math.max(me.notBefore.get(host) ?? 0, me.notBefore.get(`slot ${slot}`) ?? 0);
      if (time > me.now()) yield { kind: 'wait', until: time };
      if (me.laws.checkBeforeRequest && !me.isHeld()) throw new LeaseLost();
      const isThere = yield { kind: 'request', host, slot };
      me.notBefore.set(host, me.now() + DELAY);
      if (!isThere) continue;
      if (me.random() < 0.1) yield* redirect(me, batch, slots, web.get(row)![0]!);
      yield* changeRows(me, [row], function* ([found]) {
        const isOpen = found?.heldBy === batch && found.fetchedBy !== batch;
        return [isOpen ? { page: storeOutcome(found, batch, web.get(row)!) } : {}];
      });
    }
  }
}

/** The target of a redirect joins the batch, if it is in its slots and new or due. Others are put into their inbox, and count nothing. */
function* redirect(me: Worker, batch: string, slots: readonly number[], target: string): Steps {
  const slot = slotOf(target);
  if (!me.epochs.has(slot)) {
    const entry: LinksOfChunk = { chunk: `redirect-${batch}`, links: 'redirect' };
    return yield* put(me, me.epochs.keys().next().value!, 'inbox', `${slot}|${entry.chunk}|${target}`, entry);
  }
  yield* changeRows(me, [target], function* ([page]) {
    const fresh = newPage(me.now());
    if (!page) return [{ page: slots.includes(slot) ? selectBy(me, fresh, batch) : fresh }];
    const isFree = slots.includes(slot) && page.dueAt <= me.now() && !(yield* isHeld(me, target, page));
    return [isFree ? { page: selectBy(me, withoutBatch(page), batch) } : {}];
  });
}

/** Adds the links of a batch in the own slots, then releases its rows, then leaves the batch. */
function* updatedb(me: Worker, batch: string): Steps {
  const { laws } = me;
  let header: Batch | undefined;
  const pagesOfChunk = 2 + Math.floor(me.random() * 3);
  yield* changeShared('batches', batch, (found) => {
    header = found?.state === 'open' ? { ...found, state: 'updating', pagesOfChunk } : found;
    return found?.state === 'open' ? header : undefined;
  });
  const slots = ownSlots(me, header);
  if (!header || slots.length === 0) return void me.batches.delete(batch);
  // No worker fetches in these slots from here on, also after another one has taken them.
  if (laws.confirmBeforeLinks) yield* confirm(me, slots);
  const size = laws.sameChunks ? header.pagesOfChunk : pagesOfChunk;
  if (!laws.headerLast) yield* leave(me, batch, slots);
  const left = slots.filter((slot) => !laws.noteLinked || !header!.linked.includes(slot));
  yield* addLinks(me, batch, left, size);
  yield* giveBack(me, batch, slots, (page) => releaseBy(me, page, batch));
  if (laws.headerLast) yield* leave(me, batch, slots);
}

function selectBy(me: Worker, page: Page, batch: string): Page {
  const selected = select(page, batch);
  return me.laws.fixedShares ? selected : { ...selected, cash: page.cash, share: { ...selected.share!, cash: 0 } };
}

function releaseBy(me: Worker, page: Page, batch: string): Page {
  const released = release(page, batch, me.now());
  return me.laws.fixedShares || page.fetchedBy !== batch ? released : { ...released, cash: 0 };
}

function* addLinks(me: Worker, batch: string, slots: readonly number[], pagesOfChunk: number): Steps {
  const touched = new Set(slots);
  for (const slot of slots) {
    const entries = yield* keysOf('index', `${slot}|${batch}|`);
    for (let i = 0; i < entries.length; i += pagesOfChunk) {
      const some = entries.slice(i, i + pagesOfChunk);
      const links = yield* collect(me, batch, some.map(rowIn));
      const entry = (row: string): LinksOfChunk => ({ chunk: `${batch}/${slot}/${i}`, links: links.get(row)! });
      for (const row of [...links.keys()].filter((target) => !me.epochs.has(slotOf(target)))) {
        const key = `${slotOf(row)}|${entry(row).chunk}|${row}`;
        if (me.laws.inboxEpochs) yield* put(me, slot, 'inbox', key, entry(row));
        else yield { kind: 'put', table: 'inbox', key, value: entry(row), at: 1 };
      }
      const own = [...links.keys()].filter((target) => me.epochs.has(slotOf(target)));
      for (const row of own) touched.add(slotOf(row));
      yield* inSteps(own, (targets) =>
        changeRows(me, targets, function* (pages) {
          return pages.map((page, at) => ({ page: folded(me, page, [entry(targets[at]!)], () => false) }));
        }),
      );
      if (!me.laws.linksBeforeRelease) yield* giveBackRows(me, batch, some, (page) => releaseBy(me, page, batch));
    }
  }
  if (!me.laws.noteLinked) return;
  if (me.laws.confirmBeforeLinked) yield* confirm(me, touched);
  yield* changeShared('batches', batch, (header) => {
    const added = slots.filter((slot) => header?.slots.includes(slot) && !header.linked.includes(slot));
    return header && added.length > 0 ? { ...header, linked: [...header.linked, ...added] } : undefined;
  });
}

/** The links of some pages of a batch, by target, as the rows in the table have them. */
function* collect(me: Worker, batch: string, rows: readonly string[]): Steps<Map<string, Link[]>> {
  const byTarget = new Map<string, Link[]>();
  for (const row of rows) {
    const page = (yield* get('pages', row))?.value;
    if (!page) continue;
    const shared = me.laws.fixedShares || !page.share ? page : { ...page, share: { ...page.share, cash: page.cash } };
    for (const [target, link] of linksOf(row, shared, batch))
      byTarget.set(target, [...(byTarget.get(target) ?? []), link]);
  }
  return byTarget;
}

function folded(
  me: Worker,
  page: Page | undefined,
  entries: readonly LinksOfChunk[],
  isClosed: (batch: string) => boolean,
): Page | undefined {
  // Broken: late links are added, although the row may no longer name them.
  const late = new Set(entries.map(({ chunk }) => batchOf(chunk)));
  const { closedAddsNothing } = me.laws;
  const found = foldLinks(page, entries, (id) => isClosed(id) && (closedAddsNothing || !late.has(id)), me.now());
  return found && !me.laws.linked ? { ...found, linked: [] } : found;
}

/** Adds the links in the inboxes of the own slots to their rows. */
export function* fold(me: Worker): Steps {
  const { laws } = me;
  for (const slot of me.epochs.keys()) {
    const entries = new Map<string, { key: string; cell: Cell<'inbox'> }[]>();
    for (const key of yield* keysOf('inbox', `${slot}|`)) {
      const cell = yield* get('inbox', key);
      if (cell) entries.set(rowIn(key), [...(entries.get(rowIn(key)) ?? []), { key, cell }]);
    }
    yield* inSteps([...entries], function* (some) {
      const chunks = some.map(([, found]) => found.map(({ cell }) => cell.value));
      const cleanup = some.flatMap(([, found]) => found);
      // The version that was read is deleted. A newer one, of another run of updatedb, stays.
      const clear = function* (): Steps {
        for (const { key, cell } of cleanup) yield { kind: 'delete', table: 'inbox', key, at: cell.at };
      };
      if (!laws.rowBeforeInbox) yield* clear();
      const early = laws.batchesAfterRows ? undefined : yield* closedOf(chunks.flat());
      yield* changeRows(
        me,
        some.map(([row]) => row),
        function* (pages) {
          const named = pages.flatMap((page) => page?.linked ?? []);
          const ended = early ?? (yield* closedOf(chunks.flat(), named));
          return pages.map((page, i) => ({ page: folded(me, page, chunks[i]!, (batch) => ended.has(batch)) }));
        },
      );
      if (!laws.rowBeforeInbox) return;
      if (laws.confirmBeforeInbox) yield* confirm(me, [slot]);
      yield* clear();
    });
  }
}

/** Which of the batches of some links are closed. */
function* closedOf(entries: readonly LinksOfChunk[], named: readonly string[] = []): Steps<Set<string>> {
  const ids = new Set(
    [...entries.filter(({ links }) => typeof links !== 'string').map(({ chunk }) => chunk), ...named].map(batchOf),
  );
  const closed = new Set<string>();
  for (const id of ids) if (((yield* get('batches', id))?.value.state ?? 'closed') === 'closed') closed.add(id);
  return closed;
}

/** Closes batches whose rows are released and whose links are folded. Any worker may do it. */
function* close(me: Worker): Steps {
  for (const batch of yield* keysOf('batches')) {
    if ((yield* get('batches', batch))?.value.state !== 'updated') continue;
    let isFolded = true;
    for (let slot = 0; slot < SLOTS && isFolded; slot++)
      isFolded = !me.laws.closeAfterFold || (yield* keysOf('inbox', `${slot}|${batch}/`)).length === 0;
    if (!isFolded) continue;
    yield* changeShared('batches', batch, (header) => (header?.state === 'updated' ? closed(me, header) : undefined));
  }
}
