import type { LinkRecord } from './records.js';
import type { RowTable } from './row-table.js';

const MAX_SHOWN_SOURCES = 10;

export interface ShownSource extends Pick<LinkRecord, 'kind' | 'line' | 'anchor'> {
  readonly row: number;
  readonly share: number;
}

/** The pages that link to a target: their number, and the pages with the highest rank. It needs bounded memory. */
export class Sources {
  /** Number of pages. If a page has several links to the target, it counts once. */
  total = 0;
  /** Sum of the shares of rank of these pages. If no page has a rank: their number. */
  #shares = 0;
  readonly shown: ShownSource[] = [];
  followed = 0;
  /** The earliest time at which the bytes of one of these pages last changed, in ms since the epoch. */
  oldestChange = Infinity;
  kinds = 0;
  rels = ~0;
  #last: number | undefined;
  #lastFollowed: number | undefined;

  get impact(): number {
    return this.#shares > 0 ? this.#shares : this.total;
  }

  /** Adds a link. Links must be added in the order of their rows. @param isFollowed the link is not `nofollow` */
  add(link: LinkRecord, rows: RowTable, isFollowed = true): void {
    const { source, kind, line, anchor, rel } = link;
    this.kinds |= 1 << kind;
    this.rels &= rel;
    if (isFollowed && this.#lastFollowed !== source) {
      this.followed += 1;
      this.#lastFollowed = source;
    }
    if (this.#last === source) return;
    this.#last = source;
    this.total += 1;
    const share = rows.share(source);
    this.#shares += share;
    const changedAt = rows.bytesChangedAt(source);
    if (changedAt < this.oldestChange) this.oldestChange = changedAt;
    const last = this.shown[MAX_SHOWN_SOURCES - 1];
    if (last && last.share >= share) return;
    let place = this.shown.length;
    while (place > 0 && this.shown[place - 1]!.share < share) place--;
    this.shown.splice(place, 0, { row: source, kind, line, anchor, share });
    if (this.shown.length > MAX_SHOWN_SOURCES) this.shown.pop();
  }
}

export const NO_SOURCES: Sources = new Sources();
