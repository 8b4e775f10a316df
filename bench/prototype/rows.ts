import { STATUS_CODES } from '../../webtable/index.js';
import { readGroup, type GroupVisitor, type PageFields, type PagePlace } from './group.js';
import { InlinkList } from './inlink-list.js';

/** A row as it is held in memory. */
export interface Row {
  readonly url: string;
  /** Its place in the list of all rows. */
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
  /** Fewest links from a seed. */
  distance: number;
  /** The last round in which it was written; -1 before. */
  round: number;
  /** It was changed in the round under way. */
  isChanged: boolean;
  /** Its place among those that the round writes. */
  rank: number;
}

/** What is new in the round under way. */
export interface RoundChanges {
  readonly rows: readonly Row[];
  readonly inlinks: InlinkList;
}

/** What a row starts with. */
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

/** All rows of the table, decoded, and what has changed since the last round was written. Nothing here reads the database. */
export class Rows {
  readonly #byUrl = new Map<string, Row>();
  readonly #all: Row[] = [];
  #changed: Row[] = [];
  #inlinks = new InlinkList();
  /** The round under way. */
  #round: number;
  /** Pages that a group has brought in the round under way. */
  pagesInRound = 0;
  /** Rows of status 200. */
  fetched = 0;

  constructor(round: number) {
    this.#round = round;
  }

  /** All of them. */
  get all(): readonly Row[] {
    return this.#all;
  }

  /** The row of a URL, a new one where there is none. */
  of(url: string): Row {
    const known = this.#byUrl.get(url);
    if (known) return known;
    const row = newRow(url, this.#all.length);
    this.#byUrl.set(url, row);
    this.#all.push(row);
    return row;
  }

  /** Takes a row of the database, before any group. */
  load(fill: (row: Row) => void, url: string): void {
    const row = this.of(url);
    fill(row);
    if (row.http === 200) this.fetched++;
  }

  /** Adds seeds. @returns the rows of those that were none, which no journal will tell of */
  addSeeds(urls: readonly string[]): Row[] {
    const rows = [...new Set(urls)].map((url) => this.of(url)).filter(({ distance }) => distance > 0);
    for (const row of rows) row.distance = 0;
    return rows;
  }

  /**
   * Applies what a group says. A group of a round that a row has been written in already is not counted again in it.
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

  /** What the round has changed; the next one begins. */
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
