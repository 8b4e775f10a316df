import type { NoticeCode } from '../../search/index.js';
import type { Html, Piece } from '../http/html.js';

export interface Texts {
  /** The locale for numbers, days and names of languages. */
  readonly locale: string;
  readonly skip: string;
  /** The name of the navigation in the header. */
  readonly navigation: string;
  readonly search: string;
  readonly searchPages: string;
  /** Names of the pages of the operator. The pages themselves are in English. */
  readonly operatorPages: readonly [dashboard: string, rules: string, changes: string];
  readonly footer: string;
  readonly pages: (count: number, shown: string) => string;
  readonly found: (pages: Piece, query: Piece) => Html;
  readonly foundFrom: (first: string) => string;
  readonly approximate: string;
  readonly allShown: string;
  readonly fold: string;
  readonly asCrawled: string;
  readonly asCrawledOf: (title: Piece) => Html;
  readonly alike: (count: number, shown: string) => string;
  readonly moreOf: (shown: string, host: string) => string;
  readonly didYouMean: (link: Piece) => Html;
  readonly pagesOfResults: string;
  readonly page: string;
  readonly pageTitle: (query: string, page: number) => string;
  readonly previous: string;
  readonly next: string;
  readonly noMore: string;
  readonly bestOnly: (shown: string) => string;
  readonly backToFirst: string;
  readonly nothing: (query: Piece) => Html;
  readonly tips: readonly string[];
  readonly howToSearch: string;
  /** The effects of the operators, in the order of the help. */
  readonly operators: readonly [string, string, string, string, string, string, string, string];
  readonly filter: string;
  readonly site: string;
  /** A folder of a site, as a filter. */
  readonly section: string;
  readonly language: string;
  readonly year: string;
  readonly any: string;
  readonly apply: string;
  readonly inIndex: (pages: string, day: Piece) => Html;
  readonly notReady: string;
  readonly copyNote: (day: Piece) => Html;
  readonly noText: string;
  readonly restLeftOut: (shown: string) => string;
  /** Headings and sentences for problems, by status. `other` is for all other statuses. */
  readonly problems: Readonly<Record<string, readonly [heading: string, sentence: string]>>;
  readonly noCopy: string;
  /** Notices on a query. A notice that is missing here is shown in English. */
  readonly notices: Readonly<Partial<Record<NoticeCode, (text: string, count: number) => string>>>;
}
