import { domainToUnicode } from 'node:url';

/**
 * A URL as people read it: `http://xn--r8jz45g.jp/%E4%BE%8B` is `http://例え.jp/例`. It is for the eye alone, to be shown
 * beside the URL and never in its place; not every such text is the same URL again. Undefined where there is nothing to
 * make readable.
 *
 * Left as they are: host names that mix scripts or can be taken for Latin ones, and what is not seen or can be taken for a
 * part of a URL: controls, blanks, marks of direction, and letters that look like `/`, `?` and so on. The rest can
 * still mislead, as names in any script can.
 * @param url absolute and normalised
 */
export function readableUrl(url: string): string | undefined {
  if (!/xn--|%[89a-f]/i.test(url)) return undefined;
  const [, scheme, host, rest] = /^(\w+:\/\/)([^/]*)(.*)$/s.exec(url) ?? [];
  if (scheme === undefined || host === undefined || rest === undefined) return undefined;
  const readable = scheme + host.split('.').map(readableLabel).join('.') + rest.replace(ESCAPES, readableEscapes);
  return readable === url ? undefined : readable;
}

/** One label of a host, a port at the end of the last one included. */
function readableLabel(label: string): string {
  if (!label.startsWith('xn--')) return label;
  const [name = '', port] = label.split(':', 2);
  const shown = domainToUnicode(name);
  const isPlain = /^[\p{L}\p{M}\p{N}\-ー・·]+$/u.test(shown) && !/^\p{M}/u.test(shown);
  if (!isPlain || LATIN_LOOKALIKES.test(shown) || !isOneScript(shown)) return label;
  return port === undefined ? shown : `${shown}:${port}`;
}

/** Cyrillic and Greek letters that are drawn as Latin ones are, and a label of nothing else. */
const LATIN_LOOKALIKES = /^[асԁеһіјӏорԛѕԝхуѵѡвкмнтαικνορτυχ\d-]+$/u;

/** The scripts that may be together in one label, as in Unicode Technical Standard 39, section 5.2. */
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
/** Signs that look like the slash or the backslash, and one that looks like nothing. */
const MISLEADING = /[⁄∕⧵⧸⧹\u2800]/;

/** Escapes of UTF-8 as the characters they encode, where these can be seen and are no delimiters. */
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
