export interface StatedTime {
  /**
   * Ms since the epoch. If the text has no time of day, this is the start of the day in UTC. If the text has no zone, it is read as UTC.
   */
  readonly time: number;
  /** The day as written, in the zone of the text: `2024-05-01`. */
  readonly day: string;
  /** Set if the time is written in UTC, as programs do. At the author's place, the day may be another day. */
  readonly inUtc?: true;
}

/** The accepted years. No page on the web is older, and a later time is an error. */
const [FIRST_YEAR, LAST_YEAR] = [1990, 2100];
const MAX_CHARACTERS = 100;

const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?:\s*([ap])\.?m\b\.?)?\s*(z|utc|gmt|[+-]\d{2}:?\d{2}|[+-]\d{2})?`;
const ISO = new RegExp(String.raw`^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:t|\s+)${CLOCK})?(?!\d)`, 'i');
const SLASHES = new RegExp(String.raw`^(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?:\s+${CLOCK})?(?!\d)`, 'i');
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:t?(\d{2}):?(\d{2}):?(\d{2})?(?:\.\d+)?()(z|[+-]\d{2}:?\d{2})?)?$/i;
const MAIL = new RegExp(
  String.raw`^(?:[a-z]{3,9},?\s+)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*\.?,?[\s-]+(\d{4})(?:,?\s+${CLOCK})?(?!\d)`,
  'i',
);
const AMERICAN = new RegExp(
  String.raw`^(?:[a-z]{3,9},?\s+)?([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?:,?\s+(?:at\s+)?${CLOCK})?(?!\d)`,
  'i',
);
const SECONDS = /^\d{9,10}$/;
const MILLISECONDS = /^\d{12,13}$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Reads a time in the forms that programs write: ISO 8601, the date of a mail, seconds or milliseconds since the epoch, and similar
 * forms. Undefined: the text has another form, day and month may be swapped (`01/02/2024`), the day does not exist, or the year is not in
 * the range from 1990 to 2100.
 */
export function statedTime(text: string): StatedTime | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const value = text.trim();
  if (SECONDS.test(value)) return ofEpoch(Number(value) * 1000);
  if (MILLISECONDS.test(value)) return ofEpoch(Number(value));
  const numbers = ISO.exec(value) ?? SLASHES.exec(value) ?? COMPACT.exec(value);
  if (numbers) {
    const [, year, month, day, ...clock] = numbers;
    return timeOf(Number(year), Number(month), Number(day), clock);
  }
  const mail = MAIL.exec(value);
  if (mail) {
    const [, day, month, year, ...clock] = mail;
    return timeOf(Number(year), englishMonth(month), Number(day), clock);
  }
  const american = AMERICAN.exec(value);
  if (!american) return undefined;
  const [, month, day, year, ...clock] = american;
  return timeOf(Number(year), englishMonth(month), Number(day), clock);
}

/** Makes a time from a day. Undefined: the day does not exist, or the year is not accepted. */
export function statedDay(year: number, month: number, day: number): StatedTime | undefined {
  return timeOf(year, month, day, []);
}

function ofEpoch(time: number): StatedTime | undefined {
  const [day = ''] = new Date(time).toISOString().split('T');
  const year = Number(day.slice(0, 4));
  return year >= FIRST_YEAR && year <= LAST_YEAR ? { time, day, inUtc: true } : undefined;
}

/** The number of a month, 1 to 12, by the first three letters of its English name. 0: it is not the name of a month. */
export function englishMonth(name = ''): number {
  return MONTHS.indexOf(name.toLowerCase()) + 1;
}

function timeOf(
  year: number,
  month: number,
  day: number,
  [hour = '0', minute = '0', second = '0', half = '', zone]: readonly (string | undefined)[],
): StatedTime | undefined {
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12)) return undefined;
  const start = Date.UTC(year, month - 1, day);
  if (new Date(start).getUTCDate() !== day) return undefined;
  // 12 am is the first hour of a day, and 12 pm the first after noon.
  const hours = half === '' || Number(hour) > 12 ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const ofDay = (hours * 60 + Number(minute)) * 60 + Number(second);
  const time = start + (ofDay < 86_400 ? ofDay : 0) * 1000 - offsetOf(zone);
  const inUtc = /^(z|utc|gmt|[+-]00(:?00)?)$/i.test(zone ?? '');
  return { time, day: new Date(start).toISOString().slice(0, 10), ...(inUtc && { inUtc }) };
}

/** Milliseconds by which a time zone is ahead of UTC. */
function offsetOf(zone = ''): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (hours === undefined) return 0;
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? -ahead : ahead;
}
