import { describe, expect, it } from 'vitest';
import { isSoak, seeds } from '../support/runs.js';
import { CellStore } from './cell-store.js';
import { Violation, checkRow } from './checks.js';
import { placeOf, select, timestampOf, type Page } from './decide.js';
import { ALL_LAWS, LAWS, type Law } from './laws.js';
import { DELAY, fold, takeLeases } from './jobs.js';
import { LeaseLost, changeRows, type Steps, type Worker } from './steps.js';
import { runHistory } from './world.js';

/** For each law, the first seed whose history fails without it. The long form searches the first thousand seeds for it. */
const FOUND_AT: Readonly<Record<keyof typeof LAWS, number>> = {
  epochs: 0,
  newEpoch: 1,
  placeBeforeRow: 0,
  rowBeforeCleanup: 0,
  confirmBeforeCleanup: 2,
  touch: 258,
  headerFirst: 0,
  headerLast: 0,
  voidMarks: 11,
  claim: 238,
  confirmBeforeLinks: 83,
  sameChunks: 5,
  fixedShares: 0,
  linksBeforeRelease: 7,
  noteLinked: 28,
  confirmBeforeLinked: 3,
  linked: 0,
  inboxEpochs: 15,
  rowBeforeInbox: 2,
  confirmBeforeInbox: 2,
  closeAfterFold: 0,
  closedAddsNothing: 16,
  keepName: 60,
  confirmBeforeLeave: 322,
  checkBeforeRequest: 2,
  askedAt: 254,
};

/** What a seed breaks. */
function brokenBy(seed: number, law?: Law): string | undefined {
  try {
    runHistory(seed, law ? { ...ALL_LAWS, [law]: false } : ALL_LAWS);
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw new Error(`seed ${seed}`, { cause: error });
  }
}

describe('the model of one owner for each slot', () => {
  it('keeps every promise in every history', () => {
    for (const seed of seeds(40, 10_000)) expect(brokenBy(seed), `seed ${seed}`).toBeUndefined();
  });

  it.each(Object.entries(LAWS) as [keyof typeof LAWS, string][])('breaks a promise without the law %s: %s', (law) => {
    const tried = isSoak ? seeds(0, 1000) : [FOUND_AT[law]];
    expect(tried.find((seed) => brokenBy(seed, law) !== undefined)).toBe(FOUND_AT[law]);
  });
});

/** Two workers that believe to own slot 0: one was taken for dead, the other has its lease. */
function twoOwners(law?: Law) {
  const store = new CellStore();
  store.compareAndSet('leases', '0', undefined, { holder: 'successor', name: '', epoch: 2, askedAt: 0 });
  const laws = law ? { ...ALL_LAWS, [law]: false } : ALL_LAWS;
  const worker = (id: string, epoch: number): Worker => ({
    id,
    name: id,
    wanted: [0],
    laws,
    epochs: new Map([[0, epoch]]),
    counter: 10,
    batches: new Set(),
    notBefore: new Map(),
    random: () => 0,
    now: () => 0,
    isHeld: () => true,
    noticesLoss: () => false,
    folds: () => true,
    isStopping: () => false,
    isDead: () => false,
  });
  return { store, dead: worker('dead', 1), successor: worker('successor', 2) };
}

/** Makes the steps of a job one by one. */
function play(store: CellStore, steps: Steps) {
  let next = steps.next();
  return {
    /** Makes all steps up to a write of a table. */
    until(kind: 'get' | 'put' | 'swap', table: string): void {
      while (!next.done && !(next.value.kind === kind && 'table' in next.value && next.value.table === table))
        this.step();
      expect(next.done, `${kind} ${table}`).toBe(false);
    },
    step(): void {
      const step = next.done ? undefined : next.value;
      let result: unknown;
      if (step?.kind === 'get') result = store.get(step.table, step.key);
      if (step?.kind === 'keys') result = store.keys(step.table, step.prefix, step.after);
      if (step?.kind === 'swap') result = store.compareAndSet(step.table, step.key, step.read, step.value);
      if (step?.kind === 'put') store.put(step.table, step.key, step.value, step.at);
      if (step?.kind === 'delete') store.delete(step.table, step.key, step.at);
      next = steps.next(result);
    },
    toTheEnd(): void {
      while (!next.done) this.step();
    },
  };
}

const PAGE: Page = {
  dueAt: 1,
  fetches: 0,
  cash: 0,
  distance: 0,
  rank: 0,
  isSeed: true,
  outlinks: [],
  inlinks: [],
  linked: [],
};

function withPage(store: CellStore, row: string, fields: Partial<Page> = {}): void {
  store.put('frontier', placeOf(row, PAGE).key, true, timestampOf(1, 1));
  store.put('pages', row, { ...PAGE, ...fields }, timestampOf(1, 2));
}

const setting = (me: Worker, row: string, fields: Partial<Page>): Steps =>
  changeRows(me, [row], function* ([page]) {
    return [{ page: { ...page!, ...fields } }];
  });

describe('a late writer', () => {
  // The dead owner has moved the row to another time; its successor, which has read the row before, keeps the old one.
  function deleteLate(law?: Law): CellStore {
    const { store, dead, successor } = twoOwners(law);
    withPage(store, 'h0/p');
    const late = play(store, setting(dead, 'h0/p', { dueAt: 7 }));
    late.until('put', 'pages');
    const change = play(store, setting(successor, 'h0/p', { rank: 1 }));
    change.until('put', 'pages');
    late.step();
    change.toTheEnd();
    if (law) late.toTheEnd();
    else expect(() => late.toTheEnd()).toThrow(LeaseLost);
    return store;
  }

  it('deletes no entry of a row that its successor has kept', () => {
    expect(() => checkRow(deleteLate(), 'h0/p')).not.toThrow();
  });

  it('would delete that entry if it did not confirm its lease, since the entry is of its own epoch', () => {
    expect(() => checkRow(deleteLate('confirmBeforeCleanup'), 'h0/p')).toThrow('cannot be found');
  });

  // The dead owner has written the new entry of a row, which its successor finds and takes for stale.
  function writeLate(law?: Law): CellStore {
    const { store, dead, successor } = twoOwners(law);
    withPage(store, 'h0/p');
    const late = play(store, setting(dead, 'h0/p', { dueAt: 0 }));
    late.until('put', 'pages');
    const stale = placeOf('h0/p', { ...PAGE, dueAt: 0 });
    const clean = changeRows(successor, ['h0/p'], function* () {
      return [{ stale: [stale] }];
    });
    play(store, clean).toTheEnd();
    late.step();
    return store;
  }

  it('does not move a row to an entry that its successor has removed', () => {
    expect(() => checkRow(writeLate(), 'h0/p')).not.toThrow();
  });

  it('would move the row if its successor had not written the row again', () => {
    expect(() => checkRow(writeLate('touch'), 'h0/p')).toThrow('cannot be found');
  });

  // The dead owner folds a link, and drops the name of a batch that was closed just before. A late entry of that batch is in the inbox.
  function foldLate(law?: Law): CellStore {
    const { store, dead, successor } = twoOwners(law);
    const row = 'h0/p';
    const enter = (batch: string, source: string): void => {
      const links = [{ source, score: 0, distance: 1 }];
      store.put('inbox', `0|${batch}/1/0|${row}`, { chunk: `${batch}/1/0`, links }, timestampOf(1, 1));
    };
    const header = { state: 'updated', slots: [], linked: [], pagesOfChunk: 1 } as const;
    withPage(store, row, { inlinks: ['h1/old#1:1'], linked: ['old/1/0'] });
    store.compareAndSet('batches', 'new', undefined, header);
    enter('new', 'h1/new#1');
    const late = play(store, fold({ ...dead, laws: ALL_LAWS }));
    late.until('get', 'pages');
    store.compareAndSet('batches', 'old', undefined, header);
    enter('old', 'h1/old#1');
    const next = play(store, fold(successor));
    next.until('get', 'pages');
    store.compareAndSet('batches', 'old', header, { ...header, state: 'closed' });
    late.until('put', 'pages');
    late.step();
    next.toTheEnd();
    return store;
  }

  it('that drops the name of a closed batch makes no late link count again', () => {
    expect(() => checkRow(foldLate(), 'h0/p')).not.toThrow();
  });

  it('that drops such a name would do so if the fold looked up the batch before it reads the row', () => {
    expect(() => checkRow(foldLate('batchesAfterRows'), 'h0/p')).toThrow('has a link twice');
  });

  // An owner that was taken for dead sends a request at 30, while its successor takes the lease.
  function requestLate(law?: Law): number {
    const { store, successor } = twoOwners(law);
    const running = { holder: 'dead', name: '', epoch: 1, askedAt: 'running' } as const;
    store.compareAndSet('leases', '0', store.get('leases', '0')!.value, running);
    let now = 0;
    const taking = play(store, takeLeases({ ...successor, isDead: () => true, now: () => now }, true));
    taking.until('swap', 'leases');
    now = 30;
    taking.toTheEnd();
    return successor.notBefore.get('slot 0')!;
  }

  it('that sends a request while its lease is taken gets the delay after it', () => {
    expect(requestLate()).toBeGreaterThanOrEqual(30 + DELAY);
  });

  it('would get none if the clock was read before the lease was taken', () => {
    expect(requestLate('clockAfterLease')).toBeLessThan(30 + DELAY);
  });

  // The target of a redirect joins the batch of a dead owner as a new row. Its successor has ended the batch before the row is visible.
  function joinLate(law?: Law): CellStore {
    const { store, dead } = twoOwners(law);
    const late = play(
      store,
      changeRows(dead, ['h0/new'], function* () {
        return [{ page: select(PAGE, 'ended') }];
      }),
    );
    late.until('put', 'pages');
    late.step();
    return store;
  }

  it('loses no new row that joins a batch which has ended', () => {
    expect(() => checkRow(joinLate(), 'h0/new')).not.toThrow();
  });

  it('would lose such a row if it had no entry in the frontier', () => {
    expect(() => checkRow(joinLate('newRowEntry'), 'h0/new')).toThrow('cannot be found');
  });
});
