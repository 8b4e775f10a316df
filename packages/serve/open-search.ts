import { html as xml, markup } from './http/html.js';

/**
 * The description by which a browser adds this server to its search engines, with suggestions (OpenSearch 1.1, and its
 * extension of suggestions, which browsers read as `application/x-suggestions+json`).
 * @param origin what the browser calls this server
 */
export function openSearchDescription(origin: string): string {
  const terms = markup('{searchTerms}');
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>webcrawl</ShortName>
<Description>Search the pages that webcrawl has crawled</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="32" height="32" type="image/svg+xml">${origin}/icon.svg</Image>
<Url type="text/html" template="${origin}/search?q=${terms}" />
<Url type="application/json" template="${origin}/api/search?q=${terms}" />
<Url type="application/x-suggestions+json" template="${origin}/api/suggest?q=${terms}" />
<Url type="application/opensearchdescription+xml" rel="self" template="${origin}/opensearch.xml" />
</OpenSearchDescription>
`.toString();
}
