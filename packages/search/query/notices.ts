import { plainLine } from '../results/plain-text.js';
import { MAX_LANGUAGES, MAX_QUERY_LENGTH, MAX_SITES, type NoticeCode, type QueryNotice } from './parse-query.js';
import { MAX_WORDS } from './plan-query.js';

/** A notice, with a sentence for people, on a part of a query that was not searched. */
export interface SearchNotice {
  readonly code: NoticeCode;
  /** The sentence, on one line. A part of the query that it quotes is untrusted. */
  readonly message: string;
  /** The quoted part of the query; untrusted. */
  readonly text?: string;
  /** The number of parts of the query that the notice is about. */
  readonly count?: number;
}

export function explainNotice(notice: QueryNotice): SearchNotice {
  const { code, text = '', count = 0 } = notice;
  const what = plainLine(text);
  const messages: Readonly<Record<NoticeCode, string>> = {
    query_too_long: `The query is too long: its first ${MAX_QUERY_LENGTH} characters were read, ${count} were left out.`,
    too_many_words: `The query has too many words: the first ${MAX_WORDS} were searched, ${count} were left out.`,
    too_many_sites: `The query names too many sites: the first ${MAX_SITES} were used, ${count} were left out.`,
    too_many_languages: `The query names too many languages: the first ${MAX_LANGUAGES} were used, ${count} were left out.`,
    operator_without_value: `${what} has no value and was left out.`,
    bad_site: `"${what}" is not a host, a domain or a URL, so site: was left out.`,
    bad_date: `"${what}" is not a date such as 2026, 2026-01 or 2026-01-31, so it was left out.`,
    bad_language: `"${what}" is not a language such as en or zh, so lang: was left out.`,
    unclosed_quote: `A quote is not closed: everything after it is read as one phrase.`,
    no_word: 'The query has no word to search for.',
    only_excluded: 'The query only excludes pages: add a word, or site:.',
    some_words: 'No page has all of these words. The pages below have some of them.',
    some_words_too: `Among the results are ${count} others that have only some of the words, with two of these words side by side in the title.`,
    index_incomplete: 'The index does not have all pages yet: webcrawl index --all adds the other pages.',
    more_notices: `${count} more parts of the query could not be read and were left out.`,
    common_words: `Very common and left out: ${what}.`,
  };
  return {
    code,
    message: messages[code],
    ...(notice.text !== undefined && { text: what }),
    ...(notice.count !== undefined && { count }),
  };
}
