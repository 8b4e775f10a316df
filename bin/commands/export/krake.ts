import { library } from '../../library.js';
import type { ExportFormat } from './format.js';

export const krakeFormat: ExportFormat = {
  name: 'krake',
  summary: 'the files of Krake: sources, offsets, URL mapping and web graph',
  description: 'Writes pages and the links between them into a folder of the binary files of Krake.',
  addOptions: (command) => command,
  help: `Numbers are big-endian, as Java writes them. A node is a row of the selection. Its NodeID is its position among the
sorted SHA-1 keys of the URLs.
  content.bin  for each page with a body: int32 size, its source compressed by zlib, int32 size again
  offsets.bin  for each of these pages, in the order of NodeIDs: int32 NodeID, int64 offset in content.bin
  urls.bin     int32 count, then the SHA-1 of each URL, 20 bytes
  graph.bin    int32 nodes; for each node: int32 edges, int32 in-links among the edges, then int32 NodeIDs, in-links first
  urls.txt     the URL of each node, one on a line; Krake does not have this file

Examples:
  webcrawl export krake -o krake
  webcrawl export krake -o krake --domain example.org`,
  isText: () => false,
  run: async (crawl, common) => (await library()).exportKrake(crawl, common),
};
