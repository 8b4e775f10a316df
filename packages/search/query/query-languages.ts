/** The scripts that a language is written in, where it takes more than the one of its name. */
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
 * Those of some languages that a text may be written in, by its script. Names of things are in Latin letters in every language, so
 * these decide only where there are no others. Empty where it says nothing: where no language or each could be.
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
