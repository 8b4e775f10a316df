import { gunzipSync } from 'node:zlib';
import { memberLength } from '../../../webtable/content/gzip-member.js';
import type { StoredRecord } from '../../../webtable/content/content-store.js';
import { readRecord } from '../../../webtable/content/warc-reader.js';

/** A record of a segment. */
export interface FoundRecord extends StoredRecord {
  readonly offset: number;
  readonly length: number;
}

/** The complete records of a segment, up to the first incomplete one. */
export function recordsOf(segment: Uint8Array): FoundRecord[] {
  const records: FoundRecord[] = [];
  for (let offset = 0; offset < segment.length;) {
    const length = memberLength(segment.subarray(offset));
    const record = length === undefined ? undefined : readRecord(gunzipSync(segment.subarray(offset, offset + length)));
    if (length === undefined || !record) break;
    records.push({ ...record, offset, length });
    offset += length;
  }
  return records;
}
