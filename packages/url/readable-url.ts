import { domainToUnicode } from 'node:url';

/**
 * Returns a URL in readable form: `http://xn--r8jz45g.jp/%E4%BE%8B` becomes `http://例え.jp/例`. Show this text beside the URL and never in
 * place of the URL, because a browser may turn the text into another URL. Returns undefined if nothing changes.
 *
 * These parts stay unchanged: host names that mix scripts or look like Latin names; and characters that are invisible or look like a
 * delimiter of a URL, such as controls, blanks, direction marks, and letters similar to `/` or `?`. A host name in readable form can still
 * mislead.
 * @param url absolute and normalised
 */
export function readableUrl(url: string): string | undefined {
  if (!/xn--|%[89a-f]/i.test(url)) return undefined;
  const [, scheme, host, rest] = /^(\w+:\/\/)([^/]*)(.*)$/s.exec(url) ?? [];
  if (scheme === undefined || host === undefined || rest === undefined) return undefined;
  const readable = scheme + host.split('.').map(readableLabel).join('.') + rest.replace(ESCAPES, readableEscapes);
  return readable === url ? undefined : readable;
}

/** Returns one label of a host in readable form. The last label may include a port. */
function readableLabel(label: string): string {
  if (!label.startsWith('xn--')) return label;
  const [name = '', port] = label.split(':', 2);
  const shown = domainToUnicode(name);
  const isPlain = /^[\p{L}\p{M}\p{N}\-ー・·]+$/u.test(shown) && !/^\p{M}/u.test(shown);
  if (!isPlain || LATIN_LOOKALIKES.test(shown) || !isOneScript(shown)) return label;
  return port === undefined ? shown : `${shown}:${port}`;
}

/** Matches a label that consists only of Cyrillic and Greek letters which look like Latin letters. */
const LATIN_LOOKALIKES = /^[асԁеһіјӏорԛѕԝхуѵѡвкмнтαικνορτυχ\d-]+$/u;

/** Each pattern matches a label in one script, or in scripts that may be mixed (Unicode Technical Standard 39, section 5.2). */
const SCRIPTS: readonly RegExp[] = [
  /^[\p{sc=Latn}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Zyyy}\p{sc=Zinh}]*$/u,
  /^[\p{sc=Latn}\p{sc=Hani}\p{sc=Hang}\p{sc=Zyyy}\p{sc=Zinh}]*$/u,
  /^[\p{sc=Latn}\p{sc=Hani}\p{sc=Bopo}\p{sc=Zyyy}\p{sc=Zinh}]*$/u,
  ...'Arab Armn Beng Cyrl Deva Ethi Geor Grek Gujr Guru Hebr Khmr Knda Laoo Mlym Mong Mymr Orya Sinh Taml Telu Thaa Thai Tibt'
    .split(' ')
    .map((script) => new RegExp(`^[\\p{sc=${script}}\\p{sc=Zyyy}\\p{sc=Zinh}]*$`, 'u')),
];

function isOneScript(text: string): boolean {
  return SCRIPTS.some((scripts) => scripts.test(text));
}

const ESCAPES = /(?:%[0-9a-f]{2})+/gi;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Matches characters that look like a slash or a backslash, and one invisible character. */
const MISLEADING = /[⁄∕⧵⧸⧹\u2800]/;

/** Replaces escapes of UTF-8 by their characters, if these are visible and not delimiters. */
function readableEscapes(escapes: string): string {
  let text: string;
  try {
    text = UTF8.decode(Buffer.from(escapes.replaceAll('%', ''), 'hex'));
  } catch {
    return escapes;
  }
  let shown = '';
  let at = 0;
  let before = '';
  for (const character of text) {
    const end = at + 3 * Buffer.byteLength(character);
    const isShown = isReadable(character) && (!/\p{M}/u.test(character) || /[\p{L}\p{M}]/u.test(before));
    shown += isShown ? character : escapes.slice(at, end);
    before = isShown ? character : '';
    at = end;
  }
  return shown;
}

function isReadable(character: string): boolean {
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character) || /\p{Default_Ignorable_Code_Point}/u.test(character))
    return false;
  return character > '\u007f' && !MISLEADING.test(character) && !/[/?#@:%\\&=+;.\s]/.test(character.normalize('NFKC'));
}
