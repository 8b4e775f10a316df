import { describe, expect, it } from 'vitest';
import { CrawlError } from '../../../../packages/errors/index.js';
import { toCrawlError } from '../../../../webtable/store-errors.js';

const coded = (code: string, message: string, cause?: Error): Error =>
  Object.assign(new Error(message, { cause }), { code });
const notOpen = (cause?: Error): Error => coded('LEVEL_DATABASE_NOT_OPEN', 'Database failed to open', cause);

describe('errors of the database', () => {
  it.each<[string, unknown]>([
    ['TABLE_LOCKED', notOpen(coded('LEVEL_LOCKED', 'IO error: lock /x/LOCK: already held by process'))],
    ['TABLE_LOCKED', notOpen(coded('LEVEL_IO_ERROR', 'IO error: lock /x/LOCK: Resource temporarily unavailable'))],
    ['TABLE_DAMAGED', notOpen(coded('LEVEL_CORRUPTION', 'Corruption: no meta-nextfile entry in descriptor'))],
    ['TABLE_DAMAGED', coded('LEVEL_CORRUPTION', 'Corruption: block checksum mismatch')],
    ['TABLE_DAMAGED', notOpen(coded('LEVEL_IO_ERROR', 'IO error: /x/hot/MANIFEST-000004: No such file or directory'))],
    ['TABLE_DAMAGED', coded('LEVEL_IO_ERROR', 'IO error: /x/hot/000005.ldb: Invalid argument')],
    ['TABLE_DAMAGED', coded('LEVEL_IO_ERROR', 'IO error: /x/hot/000005.ldb: No such device')],
    ['TABLE_DAMAGED', notOpen(coded('LEVEL_IO_ERROR', 'IO error: /x/hot/MANIFEST-000002\nw*6'))],
    ['STORE_FAILED', notOpen(coded('LEVEL_IO_ERROR', 'IO error: /x/hot/MANIFEST-000002: Permission denied'))],
    ['TABLE_DAMAGED', notOpen(new Error('Invalid argument: /x/hot: does not exist (create_if_missing is false)'))],
    ['STORE_FULL', coded('LEVEL_IO_ERROR', 'IO error: /x/000005.log: No space left on device')],
    ['STORE_FULL', notOpen(coded('ENOSPC', 'ENOSPC: no space left on device, mkdir'))],
    ['STORE_FULL', coded('LEVEL_IO_ERROR', 'IO error: /x/000005.log: Disk quota exceeded')],
    ['CLOSED', coded('LEVEL_DATABASE_NOT_OPEN', 'Database is not open')],
    ['CLOSED', coded('LEVEL_ITERATOR_NOT_OPEN', 'Iterator is not open')],
    ['STORE_FAILED', notOpen(coded('EACCES', 'EACCES: permission denied, mkdir'))],
    ['STORE_FAILED', coded('LEVEL_IO_ERROR', 'IO error: /x/000005.log: Input/output error')],
    ['STORE_FAILED', new TypeError('anything')],
    ['STORE_FAILED', 'no error at all'],
    ['STORE_FAILED', undefined],
  ])('become %s', (code, error) => {
    const made = toCrawlError(error, '/data/table');
    expect(made).toBeInstanceOf(CrawlError);
    expect(made.code).toBe(code);
    if (code !== 'CLOSED') expect(made.message).toContain('/data/table');
    expect(made.cause).toBe(error);
  });

  it.each<[string, Error]>([
    ['write to', coded('EACCES', 'EACCES: permission denied, scandir')],
    ['read-only media', notOpen(coded('LEVEL_IO_ERROR', 'IO error: /x/hot/LOCK: Read-only file system'))],
    ['ulimit -n', notOpen(coded('LEVEL_IO_ERROR', 'IO error: /x/hot/000005.ldb: Too many open files'))],
    ['the disk', coded('LEVEL_IO_ERROR', 'IO error: /x/000005.log: Input/output error')],
    ['is in the way', coded('EINVAL', 'EINVAL: invalid argument, mkdir')],
    ['repair --files', coded('LEVEL_CORRUPTION', 'Corruption: block checksum mismatch')],
  ])('suggest what to do: %s', (hint, error) => {
    expect(toCrawlError(error, '/x').hint).toContain(hint);
  });

  it('do not change our own errors', () => {
    const own = new CrawlError('BAD_URL', 'x');
    expect(toCrawlError(own)).toBe(own);
  });

  it('may have causes in a circle', () => {
    const circle = new Error('a');
    circle.cause = circle;
    expect(toCrawlError(circle).code).toBe('STORE_FAILED');
  });
});
