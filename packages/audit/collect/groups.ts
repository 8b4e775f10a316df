import { hash } from 'node:crypto';
import { createKeyedRecords } from '../../scan/index.js';
import type { Group, Member } from '../rule.js';

const MAX_STORED_MEMBERS = 100;
const MAX_NEW_URLS = 10;
const KEY_DIGEST_CHARACTERS = 32;
const PAGE_NUMBER = /(?:[?&](?:page|paged|p|pg|seite|start|offset)=\d+)|(?:\/page\/\d+\/?$)/gi;

export function createGroups(folder: string, memory: number) {
  const records = createKeyedRecords(folder, memory);
  return {
    add(rule: string, key: string, { row, url, label, impact, isNew }: Member): Promise<void> | undefined {
      const member = Buffer.from(JSON.stringify([rule, key, row ?? -1, url, label ?? '', impact, isNew ?? '']));
      return records.add(hash('sha256', `${rule}\0${key}`).slice(0, KEY_DIGEST_CHARACTERS), 0, member);
    },
    async *groups(): AsyncGenerator<{ readonly rule: string; readonly group: Group }> {
      let draft: GroupDraft | undefined;
      for await (const members of records.joined()) {
        for (const { isFirst, content } of members) {
          if (isFirst || !draft) {
            if (draft) yield draft.end();
            draft = new GroupDraft();
          }
          draft.add(JSON.parse(content.toString()) as Packed);
        }
      }
      if (draft) yield draft.end();
    },
  };
}

type Packed = readonly [
  rule: string,
  key: string,
  row: number,
  url: string,
  label: string,
  impact: number,
  isNew: string,
];

class GroupDraft {
  readonly #members: Member[] = [];
  /** URLs without page numbers, to count how many are different. */
  readonly #bare = new Set<string>();
  readonly #sum = { total: 0, impact: 0, fresh: 0, undecided: 0 };
  readonly #newUrls: string[] = [];
  #rule = '';
  #key = '';

  add([rule, key, row, url, label, impact, isNew]: Packed): void {
    this.#rule = rule;
    this.#key = key;
    this.#sum.total += 1;
    this.#sum.impact += impact;
    if (isNew === 'unknown') this.#sum.undecided += 1;
    else if (isNew !== '') {
      this.#sum.fresh += 1;
      if (this.#newUrls.length < MAX_NEW_URLS) this.#newUrls.push(url);
    }
    if (this.#bare.size < MAX_STORED_MEMBERS) this.#bare.add(url.replace(PAGE_NUMBER, ''));
    const member = { ...(row >= 0 && { row }), url, ...(label !== '' && { label }), impact };
    if (this.#members.length < MAX_STORED_MEMBERS) this.#members.push(member);
    else {
      const least = this.#members.reduce((low, each, i, all) => (each.impact < all[low]!.impact ? i : low), 0);
      if (this.#members[least]!.impact < impact) this.#members[least] = member;
    }
  }

  end(): { readonly rule: string; readonly group: Group } {
    const members = this.#members.sort((a, b) => b.impact - a.impact || (a.url < b.url ? -1 : 1));
    return {
      rule: this.#rule,
      group: { key: this.#key, ...this.#sum, members, distinct: this.#bare.size, newUrls: this.#newUrls },
    };
  }
}
