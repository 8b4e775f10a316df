export { htmlParser } from './html.js';
export { xmlParser } from './xml.js';
export { textParser } from './text.js';
export { pdfParser, type PdfExtras } from './pdf.js';
export { htmlDocument, type DocumentInput } from './html-document.js';
export { chooseParser } from './choose-parser.js';
export { sniffContentType } from './sniff.js';
export { decodeText, type DecodedText } from './charset.js';
export type { ParseSettings } from './parse-settings.js';
