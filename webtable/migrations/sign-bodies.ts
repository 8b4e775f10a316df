import { hash } from 'node:crypto';
import { urlOf } from '../keys/row-key.js';
import { chunked } from '../pages/chunked.js';
import type { PageChange, PageRow } from '../pages/page.js';
import { isRecordLost } from '../pages/page-records.js';
import type { Pages } from '../pages/pages.js';
import type { MigrationProgress } from './migrations.js';

/** Number of rows that are written together. */
const CHUNK = 500;
const FIELDS = ['signature', 'newSignature', 'parseStatus', 'content'] as const;
const MD5 = /^[0-9a-f]{32}$/;

type Row = PageRow<(typeof FIELDS)[number]>;

/**
 * Replaces the signatures of version 7, MD5 hashes of bodies, by the SHA-1 hashes of the stored bodies. If the body of a signature is not
 * stored, the signature becomes unknown: it is kept as the previous one. Then the bytes of the page count as unchanged once. Signatures of
 * other kinds stay, unless they look like an MD5 hash and the body is not stored.
 */
export async function signBodies(pages: Pages, progress: MigrationProgress): Promise<void> {
  for await (const changes of chunked(changesOf(pages), CHUNK)) {
    if (progress.aborted) return;
    await pages.write(changes);
    progress.count('signatures', changes.length);
    progress.done(changes.length);
  }
}

async function* changesOf(pages: Pages): AsyncGenerator<PageChange> {
  for await (const row of pages.scan({ fields: FIELDS })) {
    const change = row.damaged && !isRecordLost(row) ? undefined : changeOf(row);
    if (change) yield change;
  }
}

function changeOf({ key, signature, newSignature, parseStatus, content }: Row): PageChange | undefined {
  const current = newSignature ?? signature;
  if (current === undefined || !MD5.test(current)) return undefined;
  // The signature of an empty body is that of the URL.
  const signed = content && (content.length > 0 ? content : urlOf(key));
  const isOfBody = signed !== undefined && hash('md5', signed) === current;
  // The body that is stored was parsed, so its signature is of another kind.
  if (signed !== undefined && !isOfBody && parseStatus?.code === 'success') return undefined;
  const sha1 = isOfBody ? hash('sha1', signed) : undefined;
  const isSame = sha1 !== undefined && signature === current;
  return {
    key,
    set: {
      ...(isSame ? { signature: sha1 } : signature !== undefined && { prevSignature: signature }),
      ...(sha1 !== undefined && newSignature !== undefined && { newSignature: sha1 }),
    },
    unset: [
      ...(signature !== undefined && !isSame ? (['signature'] as const) : []),
      ...(newSignature !== undefined && sha1 === undefined ? (['newSignature'] as const) : []),
    ],
  };
}
