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
  // The stemmer knows these endings by their accents, which a term has lost.
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

/** Terms of each language whose stems are remembered: a stem takes ten times as long as a look into a map. */
const REMEMBERED = 50_000;
/** Languages of which stems are remembered. */
const MOST_TAGS = 20;
/** Digits and such have no endings, and a name as short as this neither. */
const STEMMABLE = /^\p{L}{3,}$/u;

/** The language whose endings a word in Latin letters has where the language around it is written in other letters. */
const LATIN_ELSEWHERE = 'en';
const LATIN = /^\p{Script=Latin}+$/u;

/** Whether a language is mostly written in other letters than Latin ones; of an unknown one it is not known. */
function isWrittenOtherwise(primary: string): boolean {
  const script = primary === '' ? undefined : new Intl.Locale(primary).maximize().script;
  return script !== undefined && script !== 'Latn';
}

/**
 * Makes the function that stems a term by the language of its page. A word in Latin letters on a page of a language that has others
 * is stemmed as English: unstemmed it would be another word than on all other pages, a rare one that counts for much. What it gives
 * is folded as a term is.
 */
export function createStemmer(fold: (word: string) => string): (term: string, language: string | undefined) => string {
  /** By the tag of a page: most terms are met again and again. */
  const known = new Map<string, Map<string, string>>();
  const writtenOtherwise = new Map<string, boolean>();
  return (term, language = '') => {
    let stems = known.get(language);
    if (!stems || stems.size >= REMEMBERED) {
      // Tags are those of strangers.
      if (!stems && known.size >= MOST_TAGS) known.clear();
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
