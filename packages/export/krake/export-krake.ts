import { dirname } from 'node:path';
import { urlOf } from '../../../webtable/index.js';
import {
  buildGraphs,
  createPairSorter,
  createRecordSorter,
  readLists,
  withWorkFolder,
  type Adjacency,
  type LinkGraph,
  type LinkRow,
} from '../../graph/index.js';
import type { CrawlContext, Report, Tracker } from '../../jobs/index.js';
import { SIZES, type ExportSizes } from '../pages/sizes.js';
import { checkSelection, selectedRows, selectionIdentity, type ExportSelection } from '../pages/selected-rows.js';
import { runExport, type ExportOptions } from '../target/run-export.js';
import type { Target } from '../target/target.js';
import { uncounted } from '../target/uncounted.js';
import {
  INT,
  KEY_BYTES,
  KRAKE_FILES,
  checkInt32,
  int32,
  krakeGraph,
  krakeKey,
  offsetRecord,
  type KrakeLinks,
} from './formats.js';
import { contentPlaces, writeContents, type ContentPlace } from './write-contents.js';

/** What {@link exportKrake} takes. */
export interface ExportKrakeOptions extends ExportOptions, ExportSelection {}

/**
 * Writes the selected pages into a folder of Krake's files, see {@link KRAKE_FILES}: every row is a node, those with a body are in
 * the content file, and the graph has the links and redirects between them as they are. A page takes 13 bytes of memory. See
 * `writeTarget` for what becomes of the output, also when it is killed.
 *
 * Counters: those of every export; selected, pages, edges, no_body, lost_body, damaged; no_node; links_*, as of `graph`.
 * @param sizes only tests need others than the defaults
 * @throws CrawlError BAD_OUTPUT, also for more than 2^31 - 1 pages or bytes of one; STORE_FULL; USAGE, BAD_URL for a selection that is wrong
 */
export async function exportKrake(
  crawl: CrawlContext,
  options: ExportKrakeOptions,
  sizes: Pick<ExportSizes, 'checkpoint'> = SIZES,
): Promise<Report> {
  await checkSelection(crawl, options);
  const identity = { export: 'krake', selection: selectionIdentity(options) };
  const kind = { kind: 'folder', identity, total: options.limit } as const;
  return runExport(crawl, 'export krake', options, kind, async (target, tracker) => {
    const counts = await writeContents(crawl, target, options, tracker, sizes);
    if (counts === 'stopped') return counts;
    const nodes = await withWorkFolder(dirname(target.scratchPath('')), async (folder) => {
      const build = { levels: ['page'], raw: true, folder, count: tracker.count } as const;
      const { graphs } = await buildGraphs(linkRows(crawl, options, tracker), build);
      const [graph] = graphs as readonly [LinkGraph];
      if (tracker.aborted) return undefined;
      checkInt32(graph.count, 'pages');
      const nodeIds = await writeNodes(target, graph, folder, tracker);
      const file = await target.part(KRAKE_FILES.graph);
      for await (const piece of krakeGraph(graph.count, linksOf(graph.adjacency, nodeIds, folder)))
        await file.write(piece);
      await file.end();
      tracker.count('edges', graph.adjacency.edges);
      return graph.count;
    });
    return nodes === undefined ? 'stopped' : { nodes, counters: { ...counts } };
  });
}

/** Every row of the selection with its links; whatever became of the page, it is a node. */
async function* linkRows(crawl: CrawlContext, selection: ExportSelection, tracker: Tracker): AsyncGenerator<LinkRow> {
  const fields = ['status', 'redirectTarget', 'outlinks'] as const;
  const all = { kept: { parts: 0, rows: 0, bytes: 0 } };
  for await (const row of selectedRows(crawl, selection, fields, all, uncounted(tracker))) {
    const { key, redirectTarget, outlinks = [] } = row;
    yield { key, ...(redirectTarget !== undefined && { redirectTarget }), links: outlinks.map(({ url }) => url) };
  }
}

/** Bytes of a node that is sorted, before its URL: key, place among the rows, and offset, or all ones. */
const NODE_HEAD = KEY_BYTES + INT + 8;
const NO_OFFSET = 2n ** 64n - 1n;

/** Writes URL mapping, offset file and list of URLs; returns the NodeID of each node of the graph. */
async function writeNodes(target: Target, graph: LinkGraph, folder: string, tracker: Tracker): Promise<Uint32Array> {
  const sorter = createRecordSorter({ folder });
  for await (const record of nodeRecords(graph, contentPlaces(target), tracker)) await sorter.add(record);
  const mapping = await target.part(KRAKE_FILES.mapping);
  const offsets = await target.part(KRAKE_FILES.offsets);
  const urls = await target.part(KRAKE_FILES.urls);
  await mapping.write(int32(graph.count, 'pages'));
  const nodeIds = new Uint32Array(graph.count);
  let node = 0;
  for await (const record of sorter.sorted()) {
    const offset = record.readBigUInt64BE(KEY_BYTES + INT);
    await mapping.write(Buffer.from(record.subarray(0, KEY_BYTES)));
    if (offset !== NO_OFFSET) await offsets.write(offsetRecord(node, Number(offset)));
    await urls.write(`${record.toString('utf8', NODE_HEAD)}\n`);
    nodeIds[record.readUInt32BE(KEY_BYTES)] = node;
    node += 1;
  }
  await mapping.end();
  await offsets.end();
  await urls.end();
  return nodeIds;
}

async function* nodeRecords(
  graph: LinkGraph,
  places: AsyncGenerator<ContentPlace>,
  tracker: Tracker,
): AsyncGenerator<Buffer> {
  let place = await places.next();
  let row = 0;
  for await (const keys of graph.keys()) {
    for (const key of keys) {
      while (!place.done && place.value.key < key) {
        tracker.count('no_node');
        place = await places.next();
      }
      const hasContent = !place.done && place.value.key === key;
      yield nodeRecord(urlOf(key), row, hasContent ? BigInt((place.value as ContentPlace).offset) : NO_OFFSET);
      if (hasContent) place = await places.next();
      row += 1;
    }
  }
  for (; !place.done; place = await places.next()) tracker.count('no_node');
}

function nodeRecord(url: string, row: number, offset: bigint): Buffer {
  const record = Buffer.alloc(NODE_HEAD + Buffer.byteLength(url));
  krakeKey(url).copy(record);
  record.writeUInt32BE(row, KEY_BYTES);
  record.writeBigUInt64BE(offset, KEY_BYTES + INT);
  record.write(url, NODE_HEAD);
  return record;
}

/**
 * The edges of each node by its NodeID, sorted anew.
 * @param nodeIds the NodeID of each node of the graph
 * @param folder an existing one for what is sorted
 */
export async function* linksOf(adjacency: Adjacency, nodeIds: Uint32Array, folder: string): AsyncGenerator<KrakeLinks> {
  const outgoing = createPairSorter(folder);
  const incoming = createPairSorter(folder);
  let row = 0;
  for await (const targets of readLists(adjacency)) {
    const node = nodeIds[row++]!;
    for (const target of targets) {
      const out = outgoing.add(node, nodeIds[target]!);
      const back = incoming.add(nodeIds[target]!, node);
      if (out) await out;
      if (back) await back;
    }
  }
  const outlinks = listsOf(outgoing.sorted(), nodeIds.length);
  for await (const inlinks of listsOf(incoming.sorted(), nodeIds.length)) {
    yield { inlinks, outlinks: (await outlinks.next()).value as readonly number[] };
  }
}

/** From sorted pairs of second, first: the second ones of each first one from 0 on. */
async function* listsOf(pairs: AsyncIterable<Uint32Array>, count: number): AsyncGenerator<readonly number[]> {
  let node = 0;
  let list: number[] = [];
  for await (const piece of pairs) {
    for (let i = 0; i < piece.length; i += 2) {
      for (; node < piece[i + 1]!; node++) {
        yield list;
        list = [];
      }
      list.push(piece[i]!);
    }
  }
  for (; node < count; node++) {
    yield list;
    list = [];
  }
}
