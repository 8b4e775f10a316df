import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { exportWacz } from '../../../packages/webcrawl/internal.js';
import { fillArchive, withTable } from '../../support/export/archive-table.js';

const zone = process.env.TZ;

afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

/** The time of the first file of a ZIP, from its MS-DOS fields (APPNOTE, section 4.4.6). */
function timeOf(zip: Buffer): string {
  const [time, date] = [zip.readUInt16LE(10), zip.readUInt16LE(12)];
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${1980 + (date >> 9)}-${two((date >> 5) & 15)}-${two(date & 31)}`;
  return `${day}T${two(time >> 11)}:${two((time >> 5) & 63)}:${two((time & 31) * 2)}`;
}

describe('export wacz', () => {
  test('makes the same bytes in every time zone, with times in UTC', async () => {
    await withTable(async (crawl, folder) => {
      await fillArchive(crawl);
      const made: Buffer[] = [];
      const offsets: number[] = [];
      for (const timeZone of ['Asia/Kathmandu', 'America/St_Johns', 'UTC']) {
        process.env.TZ = timeZone;
        offsets.push(new Date(2026, 0, 6).getTimezoneOffset());
        const output = join(folder, `${made.length}.wacz`);
        await exportWacz(crawl, { output });
        made.push(await readFile(output));
      }
      expect(offsets).toEqual([-345, 210, 0]);
      expect(made.map(timeOf)).toEqual(made.map(() => '2026-01-06T09:00:00'));
      expect(made[1]!.equals(made[0]!)).toBe(true);
      expect(made[2]!.equals(made[0]!)).toBe(true);
    });
  });
});
