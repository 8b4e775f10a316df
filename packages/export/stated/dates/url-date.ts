import { englishMonth, statedDay, type StatedTime } from '../../../core/index.js';

const SEPARATED = /(?<!\d)((?:19|20)\d{2})([/_.-])([01]?\d)\2([0-3]?\d)(?!\d)/;
const JOINED = /(?<![\da-z])((?:19|20)\d{2})([01]\d)([0-3]\d)(?!\d)/i;
const DAY_FIRST = /(?<!\d)([0-3]\d)([_.-])([01]\d)\2((?:19|20)\d{2})(?!\d)/;
const NAMED = /\/((?:19|20)\d{2})\/([a-z]{3})[a-z]{0,6}\/([0-3]?\d)(?!\d)/i;

/** The day in the path of a URL, such as `/2024/05/01/`. Undefined: the path has no day. */
export function urlDate(url: string): StatedTime | undefined {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  const separated = SEPARATED.exec(path);
  if (separated) {
    const [, year, , month, day] = separated;
    return statedDay(Number(year), Number(month), Number(day));
  }
  const dayFirst = DAY_FIRST.exec(path);
  if (dayFirst) {
    const [, day, , month, year] = dayFirst;
    return statedDay(Number(year), Number(month), Number(day));
  }
  const named = NAMED.exec(path);
  if (named) {
    const [, year, month, day] = named;
    return statedDay(Number(year), englishMonth(month), Number(day));
  }
  const joined = JOINED.exec(path);
  return joined ? statedDay(Number(joined[1]), Number(joined[2]), Number(joined[3])) : undefined;
}
