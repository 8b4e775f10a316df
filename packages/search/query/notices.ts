import { plainLine } from '../results/plain-text.js';
import { MAX_LANGUAGES, MAX_QUERY_LENGTH, MAX_SITES, type NoticeCode, type QueryNotice } from './parse-query.js';
import { MAX_WORDS } from './plan-query.js';

/** Something of a query that was not looked for, with a sentence for people. */
export interface SearchNotice {
  readonly code: NoticeCode;
  /** One line; what it quotes of the query is untrusted. */
  readonly message: string;
}

/** Says it for people. */
export function explainNotice({ code, text = '', count = 0 }: QueryNotice): SearchNotice {
  const what = plainLine(text);
  const messages: Readonly<Record<NoticeCode, string>> = {
    query_too_long: `The query is too long: its first ${MAX_QUERY_LENGTH} characters were read, ${count} were left out.`,
    too_many_words: `The query has too many words: the first ${MAX_WORDS} were looked for, ${count} were left out.`,
    too_many_sites: `The query names too many sites: the first ${MAX_SITES} were looked at, ${count} were left out.`,
    too_many_languages: `The query names too many languages: the first ${MAX_LANGUAGES} were looked at, ${count} were left out.`,
    operator_without_value: `${what} has no value and was left out.`,
    bad_site: `"${what}" is no host, domain or URL, so site: was left out.`,
    bad_date: `"${what}" is no date such as 2026, 2026-01 or 2026-01-31, so it was left out.`,
    bad_language: `"${what}" is no language such as en or zh, so lang: was left out.`,
    unclosed_quote: `A quote is not closed: all behind it counts as one phrase.`,
    no_word: 'The query has no word to look for.',
    only_excluded: 'The query only says what pages may not hold: add a word, or site:.',
    some_words: 'No page holds all of these words: pages with some of them follow.',
    some_words_too: `Among these are ${count} others that have only some of the words, two of them side by side in their title.`,
    index_incomplete: 'The index does not hold all pages yet: webcrawl index --all adds the rest.',
    more_notices: `${count} more parts of the query could not be read and were left out.`,
    common_words: `Very common and left out: ${what}.`,
  };
  return { code, message: messages[code] };
}
