import {
  findEncoding,
  headOf,
  linksInHeader,
  once,
  resolveLink,
  type HeadLink,
  type JsonLd,
  type PageHead,
  type Resolve,
} from '../../core/index.js';
import type { PageView } from './page-view.js';

interface Stated {
  readonly head: PageHead;
  readonly links: readonly HeadLink[];
  readonly resolve: Resolve;
  /** Returns its JSON-LD. Blocks that are skipped are counted. */
  jsonLd(): JsonLd;
}

const known = new WeakMap<PageView, Stated>();

export function statedBy(view: PageView): Stated | undefined {
  let stated = known.get(view);
  if (stated) return stated;
  const document = view.document();
  if (!document) return undefined;
  const { row, url, count } = view;
  const head = headOf(document);
  const base = head.baseOf(url);
  const encodeQuery = findEncoding(row.parseStatus?.charset ?? '')?.encodeQuery;
  stated = {
    head,
    links: [...head.links, ...linksInHeader(row.headers?.link, url)],
    resolve: (href) => resolveLink(href, base, encodeQuery) ?? undefined,
    jsonLd: once(() => {
      for (let n = head.jsonLd.invalid + head.jsonLd.overLimit; n > 0; n--) count('broken_json_ld');
      return head.jsonLd;
    }),
  };
  known.set(view, stated);
  return stated;
}
