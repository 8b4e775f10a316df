/**
 * Replaces noise in a text before the text is hashed: parts that change although the content does not. Every pattern is bounded, so no text
 * takes long.
 */

/** Invisible characters: soft hyphen, zero-width characters, direction marks. They are removed. */
const HIDDEN = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;

/** Characters that are invisible, or that may have several encodings. A text with such a character is normalised. */
export const ODD = /[\u00ad\u0300-\u036f\u0590-\u1dff\u200b-\u200f\u2060\u3099\u309a\uf900-\ufb4f\ufeff]/g;
/** Matches characters beyond Latin-1. The test is fast: V8 knows which texts have only Latin-1 characters. */
const WIDE = /[^\0-\xff]/;
/** Whether a text may match {@link ODD}. The only Latin-1 character that {@link ODD} matches is the soft hyphen. */
export const mayBeOdd = (text: string): boolean => WIDE.test(text) || text.includes('\u00ad');
/** A digit, or the end of a phrase such as "an hour ago". Most noise has one of them. */
export const DIGIT_OR_AGO = /\d| ago\b/gi;

/** Words of mixed letters and digits, such as session ids, build stamps and file names with a hash. */
const TOKEN = /\b[a-z\d]{20,}/gi;
const asToken = (word: string): string => (/\d/.test(word) && /[a-z]/i.test(word) ? '<token>' : word);

/** Minimum length of a word that {@link TOKEN} matches. */
const LONG_WORD = 20;
/** For each ASCII character, whether it is a letter or a digit. */
const IS_OF_WORD = Uint8Array.from({ length: 128 }, (_, code) => (/[a-z\d]/i.test(String.fromCharCode(code)) ? 1 : 0));

/** A word that occurs in every phrase like "n days ago". */
const MAY_AGO = /ago|vor |il y a|hace |há |r[ae] fa|[ioe] fa|geleden|sedan|temu|назад|前|전/i;
/** Phrases that give a time relative to now. */
const AGO = alternatives([
  String.raw`\d{1,6} ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mos?|months?|y|yrs?|years?) ago`,
  String.raw`(?:an?|one) (?:second|minute|hour|day|week|month|year) ago`,
  String.raw`vor \d{1,6} (?:sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?)`,
  String.raw`il y a \d{1,6} (?:secondes?|minutes?|heures?|jours?|semaines?|mois|ans?)`,
  String.raw`hace \d{1,6} (?:segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?)`,
  String.raw`há \d{1,6} (?:segundos?|minutos?|horas?|dias?|semanas?|m[eê]s(?:es)?|anos?)`,
  String.raw`\d{1,6} (?:second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]) fa`,
  String.raw`\d{1,6} (?:seconden?|minu(?:ut|ten)|uur|uren|dag(?:en)?|we(?:ek|ken)|maand(?:en)?|jaar) geleden`,
  String.raw`för \d{1,6} (?:sekunder|minuter|timmar|dagar|veckor|månader|år) sedan`,
  String.raw`\d{1,6} (?:sekund|minut|godzin|dni|dzień|tygodni|miesięcy|miesiące|lat)[ay]? temu`,
  String.raw`\d{1,6} (?:секунд|минут|час|дн|день|недел|месяц|год|лет)[а-я]{0,3} назад`,
  String.raw`\d{1,6} ?(?:秒|分钟|分|小时|時間|天|日|周|週間|个月|か月|ヶ月|年)前`,
  String.raw`\d{1,6} ?(?:초|분|시간|일|주|개월|년) 전`,
]);

/** Phrases that give a time relative to now without a number. They are replaced only if they are a whole block. */
const ALONE: ReadonlySet<string> = new Set(
  [
    'just now',
    'now',
    'today',
    'yesterday',
    'gerade eben',
    'heute',
    'gestern',
    "aujourd'hui",
    'hier',
    'hoy',
    'ayer',
  ].concat([
    'oggi',
    'ieri',
    'hoje',
    'ontem',
    'vandaag',
    'gisteren',
    'сегодня',
    'вчера',
    '今天',
    '昨天',
    '今日',
    '昨日',
    '오늘',
    '어제',
  ]),
);

/** Words that tell that a page was created or changed. */
const UPDATE_WORDS =
  'updated|last update|modified|changed|revised|edited|generated|rendered|loaded|built|aktualisier|geändert|bearbeitet|letzte änderung|^stand\\b|mise? à jour|modifi|actualiz|atualiz|aggiorn|bijgewerkt|gewijzigd|uppdaterad|aktualiz|обновл|изменен|更新|업데이트';
const UPDATED = new RegExp(UPDATE_WORDS, 'i');
/** Names of months and their usual short forms, in full: a beginning would also match words such as "major" and "novels". */
const MONTHS = [
  'jan(?:uar[iy]?|v(?:ier)?|eiro)?|jänner|genn(?:aio)?|ene(?:ro)?|stycz(?:eń|nia)|ledna|янв(?:ар[ьяе])?',
  'feb(?:ruar[iy]?|rero|braio)?|f[eé]v(?:r(?:ier)?|ereiro)?|luty|lutego|února|фев(?:р(?:ал[ьяе])?)?',
  'mar(?:ch|t?s|[çz]o|ca|zec)?|märz?|mrz|maart|mrt|března|мар(?:т[ае]?)?',
  'apr(?:ile?)?|abr(?:il)?|avr(?:il)?|kwie(?:cień|tnia)|dubna|апр(?:ел[ьяе])?',
  'ma(?:yo?|io?|ja?|ggio)|mei|května|ма[йяе]',
  'jun(?:e|i|ho|io)?|juin|giu(?:gno)?|czerw(?:iec|ca)|června|июн[ьяе]?',
  'jul(?:y|i|ho|io)?|juil(?:let)?|lugl(?:io)?|lip(?:iec|ca)|července|июл[ьяе]?',
  'aug(?:ust(?:us|i)?)?|ago(?:sto)?|ao[uû]t|sierp(?:ień|nia)|srpna|авг(?:уст[ае]?)?',
  'sep(?:t(?:ember|embre|iembre)?)?|set(?:iembre|embro|tembre)|wrze(?:sień|śnia)|září|сен(?:т(?:ябр[ьяе])?)?',
  'oct(?:ober|obre|ubre)?|okt(?:ober)?|outubro|ott(?:obre)?|paźdz(?:iernika?)?|října|окт(?:ябр[ьяе])?',
  'nov(?:emb(?:er|re|ro)|iembre)?|listopad[au]?|ноя(?:б(?:р[ьяе])?)?',
  'd[eé]c(?:ember|embre)?|dez(?:emb(?:er|ro))?|dic(?:iembre|embre)?|desember|grud(?:zień|nia)|prosince|дек(?:абр[ьяе])?',
];
const MONTH = String.raw`(?<!\p{L})(?:${MONTHS.join('|')})(?!\p{L})\.?`;
const YEAR = String.raw`20[0-3]\d(?!\d)`;
/** The year of a whole date, which may be an old one. */
const WHOLE_YEAR = String.raw`(?:19\d\d|20[0-3]\d)(?!\d)`;
/** A day and a month, in this order or the other. */
const DAY_OF_MONTH = String.raw`(?:(?<!\d)\d{1,2}(?:st|nd|rd|th|er|º|\.)?[ -](?:of |de )?${MONTH}|${MONTH} \d{1,2}(?:st|nd|rd|th)?(?![\p{L}\d]))`;
/** A word that tells of the change, directly before a date. */
const UPDATED_AT = String.raw`(?:${UPDATE_WORDS})\p{L}{0,9}[ :：(–—-]{1,3}`;
/** A date that is not whole may have a time or a name after it, but no other word: "Updated 3 May events" is no date of an update. */
const NO_WORD = String.raw`(?! (?!(?:at|by|um|von|à|par|a|por|às|alle|om|door|kl|av|o|в|г|r)(?!\p{L}))\p{L})`;
/** A date or a time of day. A date without a day, or without a year, has to follow the word that tells of the change. */
const DATE_OR_TIME = new RegExp(
  [
    String.raw`(?<!\d)\d{1,2}(?:[:h]\d\d(?!\d)|\.\d\d uhr)|\bkl\.? ?\d{1,2}\.\d\d`,
    String.raw`(?<!\d)${WHOLE_YEAR}(?:[-/]\d{1,2}[-/]\d|\.(?:0\d|1[0-2])\.[0-3]\d(?!\d)|\. \d{1,2}\. \d| ?[年년] ?\d)`,
    String.raw`(?<!\d)20[0-3]\d(?:0[1-9]|1[0-2])[0-3]\d(?!\d)`,
    String.raw`(?<![\d.])\d{1,2}([./-]) ?\d{1,2}\1 ?${WHOLE_YEAR}|(?<!\d)\d{1,2}/\d{1,2}/\d\d(?!\d)`,
    String.raw`(?:^stand|aktualisiert|geändert|am|vom):? \d{1,2}\.(?:0?[1-9]|1[0-2])\.(?:\d\d)?(?![.\d])`,
    String.raw`(?:updated|modified|uppdaterad):? [0-3]?\d/[0-3]?\d(?![\d/%-])${NO_WORD}`,
    String.raw`${DAY_OF_MONTH}[ ,-]{1,2}(?:del? )?${YEAR}`,
    String.raw`${UPDATED_AT}(?:(?:on|in|am|im|vom|le|en|du|el|em|op|den|al?|il|в) )?(?:${DAY_OF_MONTH}|(?:${MONTH},? (?:de )?|\d{1,2}/)${YEAR})${NO_WORD}`,
    String.raw`${UPDATED_AT}${YEAR}(?![.,]\d|\p{L}| ?%)${NO_WORD}`,
  ].join('|'),
  'iu',
);
/**
 * Numbers that say something about the subject of the page: versions, such as "Changed in version 3.12", and new values, such as "The
 * deadline was changed to 3 May". Some of these words are also words of update lines, such as "do site", "на сайте" and "from a1b2c3d".
 */
const OF_SUBJECT = new RegExp(
  [
    String.raw`\b(?:versions?|releases?|v)\.? ?\d[\w.]*`,
    String.raw`(?:^|\s)(?:to|until|bis|naar|till|para|vers|до|z?aktualiz\p{L}{1,8} do)\s[^\d:|]{0,16}\d.*`,
    String.raw`(?:^|\s)(?:auf|на)\s(?!сайте)(?:[^\s\d:]{1,16} )?(?:den )?\d.*`,
    String.raw`(?:^|\s)from\s(?:\p{L}{3,6}day,? )?(?:.{1,40}\sto\s|(?:\d{1,2}:|\d{4}-)\d\d|${DAY_OF_MONTH}).*`,
  ].join('|'),
  'giu',
);
/** Phrases that tell how long the server has worked on a page. */
const MADE_IN = /(?:generated|rendered|loaded|built)\D{1,20}\d[\d.,]{0,12}(?: ?m?s\b| sec)/i;
const CLOCK = /\b\d{1,2}:\d\d:\d\d\b(?: ?[ap]\.?m\b\.?)?/gi;

/** A number directly before the noun that it counts, such as "12 comments". */
const COUNTED = alternatives([
  String.raw`\d[\d.,\s]{0,12}[km]?\+? ?(?:(?:user|customer|page|unique) )?(?:reviews?|ratings?|comments?|replies|answers?|views?|visits?|visitors?|likes?|shares?|votes?|upvotes?|followers?|subscribers?|downloads?|stars?|forks?|reads?|claps?|people online|users online)\b`,
  String.raw`\d[\d.,\s]{0,12} ?(?:bewertung(?:en)?|kommentare?|aufrufe?|antwort(?:en)?|besucher|avis|commentaires?|vues?|comentarios?|comentários?|visitas?|visualizações|recensioni|commenti|visualizzazioni|reacties|отзыв\S{0,3}|комментари\S{0,3}|просмотр\S{0,3})`,
]);

/** Maximum length of a line in which dates and counts are replaced. */
const SHORT_LINE = 160;
/** Maximum words of a line in which dates or counts are replaced. */
const [DATE_WORDS, COUNT_WORDS] = [12, 6];

/** Maximum length of a block that is compared with {@link ALONE}. */
const MAX_ALONE_LENGTH = 12;
/** For each ASCII character: 1 if it is a blank or the first character of a phrase in {@link ALONE}, else 0. */
const BEGINS_ALONE = Uint8Array.from({ length: 128 }, (_, code) => {
  const first = String.fromCharCode(code).toLowerCase();
  return first.trim() === '' || [...ALONE].some((phrase) => phrase.startsWith(first)) ? 1 : 0;
});

/** Whether a part of a text may be a phrase in {@link ALONE}, by its length and its first character. */
export function mayBeAlone(text: string, start: number, end: number): boolean {
  return end - start <= MAX_ALONE_LENGTH && BEGINS_ALONE[text.charCodeAt(start)] !== 0;
}

/**
 * Returns the text of a block without noise, for its hash.
 * @param hasDigitOrAgo whether the block matches {@link DIGIT_OR_AGO}. If not, only hidden characters and {@link ALONE} are replaced.
 * @param isOdd whether the block matches {@link ODD}
 */
export function withoutNoise(block: string, hasDigitOrAgo: boolean, isOdd: boolean): string {
  let text = isOdd ? block.replace(HIDDEN, '').normalize('NFC') : block;
  if (mayBeAlone(text, 0, text.length) && ALONE.has(text.trim().toLowerCase())) return '<ago>';
  if (!hasDigitOrAgo) return text;
  if (hasLongWord(text)) text = text.replace(TOKEN, asToken);
  if (text.length > SHORT_LINE) return text;
  if (MAY_AGO.test(text)) text = text.replace(AGO, '<ago>');
  if (hasMoreWords(text, DATE_WORDS)) return text;
  if (UPDATED.test(text) && (DATE_OR_TIME.test(text.replace(OF_SUBJECT, '')) || MADE_IN.test(text))) return '<updated>';
  const mayCount = !hasMoreWords(text, COUNT_WORDS);
  if (text.includes(':')) text = text.replace(CLOCK, '<time>');
  return mayCount ? text.replace(COUNTED, '<n>') : text;
}

/** Whether a text has a word of at least {@link LONG_WORD} letters and digits. The check reads only a few characters of most texts. */
function hasLongWord(text: string): boolean {
  const isOfWord = (at: number): boolean => IS_OF_WORD[text.charCodeAt(at)] === 1;
  for (let end = LONG_WORD; end <= text.length;) {
    let start = end;
    while (start > end - LONG_WORD && isOfWord(start - 1)) start--;
    if (start === end - LONG_WORD) return true;
    end = start + LONG_WORD;
  }
  return false;
}

/** Whether a text has more than `most` words. */
function hasMoreWords(text: string, most: number): boolean {
  let words = 1;
  for (let at = text.indexOf(' '); at >= 0 && words <= most; at = text.indexOf(' ', at + 1)) words++;
  return words > most;
}

/**
 * Parameters of links that identify a source, a campaign or a session, and numbers of versions that only prevent caching. Other values of
 * `v` count: they may name a video.
 */
const TRACKING =
  /([?&;])(?:(?:utm_[a-z]{1,20}|gclid|fbclid|msclkid|dclid|yclid|mc_[ce]id|_ga|igshid|ref_src|sid|s?_?session_?id|phpsessid|jsessionid|token|nonce|csrf(?:_token)?|_|ts|timestamp|cb)=[^&;#]*|v(?:er)?=[\d.a-f]*(?=[&;#]|$))/gi;
const MAIL = /\/cdn-cgi\/l\/email-protection.*/;

/** Returns the URL of a link without the parts that change from visit to visit. */
export function plainLink(url: string): string {
  if (!url.includes('?') && !url.includes(';') && !url.includes('/cdn-cgi/')) return url;
  if (url.includes('/cdn-cgi/')) return url.replace(MAIL, '/<mail>');
  return url
    .replace(TRACKING, '$1')
    .replace(/([?&;])[?&;]+/g, '$1')
    .replace(/[?&;]$/, '');
}

function alternatives(patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join('|'), 'gi');
}
