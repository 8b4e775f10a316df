export { htmlParser } from './html-parser.js';
export { xmlParser } from './xml-parser.js';
export { textParser } from './text-parser.js';
export { documentParser, type DocumentExtras } from './document-parser.js';
export { htmlDocument, htmlTree } from './html/html-document.js';
export { attribute, isCheckbox, TreeElement } from './html/html-tree.js';
export { first, isElement, isHtml, walkTree } from './html/elements.js';
export { tokens, type PageElement } from './html/page-element.js';
export { firstHeading, textWithin } from './html/text-within.js';
export { englishMonth, statedDay, statedTime, type StatedTime } from './shared/stated-time.js';
export { statedTimes } from './shared/stated-times.js';
export { detectLanguage, languageByWords } from './language/detect-language.js';
export { headOf } from './html/head/head-of.js';
export type { PageHead } from './html/head/page-head.js';
export { languageTag } from './html/head/language-tag.js';
export { isFeedLink, isVersionLink, versionsOf, type HeadLink, type Resolve } from './html/head/head-link.js';
export {
  JsonLd,
  isJsonLdNode,
  jsonLdValues,
  shortTypeName,
  jsonLdTypes,
  type JsonLdNode,
} from './html/head/json-ld.js';
export { linksInHeader } from './html/head/link-header.js';
export { refreshOf } from './html/head/refresh.js';
export { srcsetUrls } from './html/links/srcset.js';
export { formulaTex } from './html/formulas.js';
export { contentKind, mainContent, pageTraits } from './html/main-content.js';
export type { PageKind } from './html/main/site/kept-by-site.js';
export type { PageTraits } from './html/main/site/page-traits.js';
export { layoutOfPage, learnSite, MIN_PAGES, type SiteTemplate } from './html/main/site/site-template.js';
export { packTemplate, TEMPLATE_RULE, unpackTemplate } from './html/main/site/template-codec.js';
export { isInlineTag } from './html/main/outline.js';
export { ClassWords, FAMILY } from './html/main/class-words.js';
export { codeNodes, isCode, isLineNumbers } from './html/code-elements.js';
export { chooseParser } from './choose-parser.js';
export { sniffContentType } from './sniff/sniff.js';
export { sniffSitemap } from './xml/sniff-sitemap.js';
export { MAX_SITEMAP_BYTES } from './shared/limits.js';
export type { ParseSettings } from './shared/parse-settings.js';
export { decodeText } from './charset/charset.js';
export { findEncoding } from './charset/encodings.js';
