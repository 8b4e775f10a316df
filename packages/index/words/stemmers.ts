import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { primaryLanguage } from './primary-language.js';

type Stem = (term: string) => string;

const STEMMERS: Readonly<Record<string, Stem>> = {
  da: danish,
  de: german,
  en: english,
  // Terms have no accents, but the stemmer knows these endings only with accents. So the accents are put back.
  es: (term) => spanish(term.replace(/ion$/, 'ión')),
  fi: finnish,
  fr: french,
  hu: hungarian,
  it: italian,
  nb: norwegian,
  nl: dutch,
  nn: norwegian,
  no: norwegian,
  pt: (term) => portuguese(term.replace(/cao$/, 'ção').replace(/coes$/, 'ções')),
  ro: romanian,
  ru: russian,
  sv: swedish,
};

/** For each language. Stemming takes ten times as long as a lookup. */
const MAX_CACHED_STEMS = 50_000;
const MAX_CACHED_LANGUAGES = 20;
/** Matches terms that may have an ending. Terms with digits, and shorter terms, have no endings. */
const STEMMABLE = /^\p{L}{3,}$/u;

/** The language by which a Latin word is stemmed if the language of the page uses other letters. */
const LATIN_ELSEWHERE = 'en';
const LATIN = /^\p{Script=Latin}+$/u;

/** The first code of the scripts that no stemmer knows. Words in these scripts are not cached, because there are too many. */
const EAST_ASIAN = 0x2e80;

/** Whether a language is mostly written in letters that are not Latin. False for an unknown language. */
function isWrittenOtherwise(primary: string): boolean {
  const script = primary === '' ? undefined : new Intl.Locale(primary).maximize().script;
  return script !== undefined && script !== 'Latn';
}

/**
 * Makes the function that stems a term by the language of its page. A Latin word on a page in another script is stemmed as English. Without
 * stemming, the word would differ from the same word on other pages, and be treated as a rare word. The result is folded like a term.
 */
export function createStemmer(fold: (word: string) => string): (term: string, language: string | undefined) => string {
  const known = new Map<string, Map<string, string>>();
  const writtenOtherwise = new Map<string, boolean>();
  return (term, language = '') => {
    if (term.charCodeAt(0) >= EAST_ASIAN) return term;
    let stems = known.get(language);
    if (!stems || stems.size >= MAX_CACHED_STEMS) {
      // Tags come from pages, so the number of tags must be limited here.
      if (!stems && known.size >= MAX_CACHED_LANGUAGES) known.clear();
      known.set(language, (stems = new Map<string, string>()));
    }
    let stem = stems.get(term);
    if (stem === undefined) stems.set(term, (stem = stemOf(term, primaryLanguage(language))));
    return stem;
  };

  function stemOf(term: string, primary: string): string {
    let otherwise = writtenOtherwise.get(primary);
    if (otherwise === undefined) writtenOtherwise.set(primary, (otherwise = isWrittenOtherwise(primary)));
    const stemmer = STEMMERS[otherwise && LATIN.test(term) ? LATIN_ELSEWHERE : primary];
    return stemmer && STEMMABLE.test(term) ? fold(stemmer(term)) || term : term;
  }
}
