/** Script codes (ISO 15924) of languages with Han or Hangul characters, and the Unicode scripts of these characters. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Jpan: ['Han', 'Hiragana', 'Katakana'],
  Hans: ['Han'],
  Hant: ['Han'],
  Kore: ['Hangul', 'Han'],
};
const NAMES = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Arabic',
  'Hebrew',
  'Thai',
] as const;
const PATTERNS = NAMES.map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }));
const CODES: Readonly<Record<string, string>> = {
  Latn: 'Latin',
  Cyrl: 'Cyrillic',
  Grek: 'Greek',
  Arab: 'Arabic',
  Hebr: 'Hebrew',
};

/**
 * Selects the languages in which a text may be written, by the script of the text. Latin letters are used only if there are no other
 * letters, because names with Latin letters occur in every language. The result is empty if no language fits, or if all fit.
 */
export function languagesOfText(text: string, languages: readonly string[]): readonly string[] {
  const found = PATTERNS.filter(({ pattern }) => pattern.test(text)).map(({ name }) => name);
  const others = found.filter((name) => name !== 'Latin');
  const scripts = others.length > 0 ? others : found;
  if (scripts.length === 0) return [];
  const some = languages.filter((language) => scripts.every((name) => scriptsOf(language).includes(name)));
  return some.length === languages.length ? [] : some;
}

function scriptsOf(language: string): readonly string[] {
  if (!/^[a-z]{2,3}$/.test(language)) return [];
  const script = new Intl.Locale(language).maximize().script ?? '';
  return SCRIPTS[script] ?? [CODES[script] ?? script];
}
