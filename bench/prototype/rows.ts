import { STATUS_CODES } from '../../webtable/index.js';
import { readGroup, type GroupVisitor, type PageFields, type PagePlace } from './group.js';
import { InlinkList } from './inlink-list.js';

/** A row in memory. */
export interface Row {
  readonly url: string;
  /** Its index in the list of all rows. */
  readonly number: number;
  /** Made when it is first written. */
  key: string;
  status: number;
  http: number;
  fetchedAt: number;
  fetchMs: number;
  title: string;
  bodyLength: number;
  place: PagePlace | undefined;
  digest: Uint8Array | undefined;
  /** The URL that it redirects to. */
  redirect: string;
  outlinks: number;
  inlinks: number;
  /** Minimum number of links from a seed. */
  distance: number;
  /** The last round in which it was written; -1: none. */
  round: number;
  /** Whether it was changed in this round. */
  isChanged: boolean;
  /** Its position among the rows that the round writes. */
  rank: number;
}

/** The changes of this round. */
export interface RoundChanges {
  readonly rows: readonly Row[];
  readonly inlinks: InlinkList;
}

/** The initial values of a row. */
export function newRow(url: string, number: number): Row {
  return {
    url,
    number,
    key: '',
    status: STATUS_CODES.unfetched,
    http: 0,
    fetchedAt: 0,
    fetchMs: 0,
    title: '',
    bodyLength: 0,
    place: undefined,
    digest: undefined,
    redirect: '',
    outlinks: 0,
    inlinks: 0,
    distance: Infinity,
    round: -1,
    isChanged: false,
    rank: 0,
  };
}

/** All rows of the table, decoded, and the changes since the last written round. It never reads the database. */
export class Rows {
  readonly #byUrl = new Map<string, Row>();
  readonly #all: Row[] = [];
  #changed: Row[] = [];
  #inlinks = new InlinkList();
  /** The present round. */
  #round: number;
  /** Number of pages in the groups of this round. */
  pagesInRound = 0;
  /** Number of rows of status 200. */
  fetched = 0;

  constructor(round: number) {
    this.#round = round;
  }

  /** All rows. */
  get all(): readonly Row[] {
    return this.#all;
  }

  /** The row of a URL. It is added if missing. */
  of(url: string): Row {
    const known = this.#byUrl.get(url);
    if (known) return known;
    const row = newRow(url, this.#all.length);
    this.#byUrl.set(url, row);
    this.#all.push(row);
    return row;
  }

  /** Adds a row of the database. Call it before any group. */
  load(fill: (row: Row) => void, url: string): void {
    const row = this.of(url);
    fill(row);
    if (row.http === 200) this.fetched++;
  }

  /** Adds seeds. @returns new rows, which are in no journal */
  addSeeds(urls: readonly string[]): Row[] {
    const rows = [...new Set(urls)].map((url) => this.of(url)).filter(({ distance }) => distance > 0);
    for (const row of rows) row.distance = 0;
    return rows;
  }

  /**
   * Applies a group. A group of a round in which a row was already written is not counted again.
   * @param onNew called with each URL that had no row
   */
  apply(group: Buffer, onNew?: (url: string) => void): void {
    const inlinks = this.#inlinks;
    const bytes = inlinks.hold(group);
    let targets: Row[] = [];
    let page: Row | undefined;
    const visitor: GroupVisitor = {
      urls: (urls) => {
        targets = urls.map((url) => {
          const before = this.#all.length;
          const row = this.of(url);
          if (this.#all.length > before) onNew?.(url);
          return row;
        });
      },
      page: (url, fields, redirect) => {
        page = targets[url]!;
        this.#fill(page, fields);
        if (redirect < 0) return;
        const target = targets[redirect]!;
        page.redirect = target.url;
        this.#comeNearer(target, page.distance);
        this.#change(target);
      },
      link: (url, at, length) => {
        const target = targets[url]!;
        this.#comeNearer(target, page!.distance + 1);
        page!.outlinks++;
        if (target.round < this.#round) target.inlinks++;
        this.#change(target);
        inlinks.add(target.number, page!.number, bytes, at, length);
      },
    };
    readGroup(group, visitor);
  }

  /** Returns the changes of the round, and begins the next one. */
  endRound(): RoundChanges {
    const changes = { rows: this.#changed, inlinks: this.#inlinks };
    for (const row of changes.rows) {
      row.isChanged = false;
      row.round = this.#round;
    }
    this.#changed = [];
    this.#inlinks = new InlinkList();
    this.#round++;
    this.pagesInRound = 0;
    return changes;
  }

  #fill(row: Row, fields: PageFields): void {
    this.pagesInRound++;
    if (fields.http === 200 && row.http !== 200) this.fetched++;
    row.status = fields.status;
    row.http = fields.http;
    row.fetchedAt = fields.fetchedAt;
    row.fetchMs = fields.fetchMs;
    row.title = fields.title;
    row.bodyLength = fields.bodyLength;
    row.place = fields.place;
    row.digest = fields.digest;
    row.outlinks = 0;
    this.#change(row);
  }

  #comeNearer(row: Row, distance: number): void {
    if (distance < row.distance) row.distance = distance;
  }

  #change(row: Row): void {
    if (row.isChanged) return;
    row.isChanged = true;
    this.#changed.push(row);
  }
}
