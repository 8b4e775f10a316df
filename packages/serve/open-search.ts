import { html as xml, markup } from './http/html.js';

/**
 * Makes the description by which a browser adds this server to its search engines, with suggestions. The format is OpenSearch 1.1 with the
 * extension for suggestions, which browsers request as `application/x-suggestions+json`.
 * @param origin the origin by which the browser addresses this server
 * @param name of the site. The short name is its first 16 characters
 */
export function openSearchDescription(origin: string, name: string): string {
  const terms = markup('{searchTerms}');
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${[...name].slice(0, 16).join('')}</ShortName>
<Description>Search the pages of ${name}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="32" height="32" type="image/svg+xml">${origin}/icon.svg</Image>
<Url type="text/html" template="${origin}/search?q=${terms}" />
<Url type="application/json" template="${origin}/api/search?q=${terms}" />
<Url type="application/x-suggestions+json" template="${origin}/api/suggest?q=${terms}" />
<Url type="application/opensearchdescription+xml" rel="self" template="${origin}/opensearch.xml" />
</OpenSearchDescription>
`.toString();
}
