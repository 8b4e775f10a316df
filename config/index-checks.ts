import { tryParseUrl } from '../packages/url/index.js';

/** What OpenSearch takes as the name of an index, at most 255 bytes of it. */
const INDEX_NAME = /^(?!\.{1,2}$)[^-_+\\/*?"<>|\s,#:A-Z][^\\/*?"<>|\s,#:A-Z]{0,254}$/u;

/** What `index.url` must be and is not; undefined where it is right. */
export function indexUrlProblem(text: string): string | undefined {
  const url = tryParseUrl(text);
  const name = url?.pathname.split('/').findLast((part) => part !== '') ?? '';
  const isRight = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  return isRight && isDecodable(url.username) && isDecodable(url.password) && isDecodable(name) && isName(name)
    ? undefined
    : 'the URL of an index of OpenSearch with its name in lower case, like https://user:password@localhost:9200/pages';
}

function isName(encoded: string): boolean {
  const name = decodeURIComponent(encoded);
  return INDEX_NAME.test(name) && Buffer.byteLength(name) <= 255;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
