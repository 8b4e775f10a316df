import { z } from 'zod';
import { addressRangesProblem, indexUrlProblem, originsProblem, siteLinksProblem } from '../index-checks.js';
import { path, refusedBy, weight, textByName, section } from './types.js';

export const index = section({
  path: path
    .default('')
    .describe(
      'Folder of the search index, which can be rebuilt from the table. Empty: the folder `index` in the folder of the table',
    ),
  writer: z
    .enum(['sqlite', 'opensearch'])
    .default('sqlite')
    .describe('Kind of the index: an SQLite file, which the search page reads; or an OpenSearch index at `index.url`'),
  url: refusedBy(z.string(), indexUrlProblem)
    .meta({ secret: true })
    .default('http://localhost:9200/webcrawl')
    .describe(
      'URL of the OpenSearch index, which ends with its name: `https://user:password@search.example:9200/pages`. A missing index is created',
    ),
});

export const search = section({
  weightTitle: weight(16).describe('Weight of a word in the title'),
  weightHeadings: weight(4).describe('Weight of a word in a heading'),
  weightAnchors: weight(3).describe('Weight of a word in the text of a link to the page'),
  weightUrl: weight(2).describe('Weight of a word in the URL'),
  weightText: weight(1).describe('Weight of a word in the text'),
  weightRank: weight(0.5).describe(
    'Weight of PageRank in addition to the words; it is multiplied by ln(1 + rank divided by the mean rank)',
  ),
  languageBoost: weight(2).describe(
    'Score added to a page in a language that suits the reader and the script of the query',
  ),
  site: section({
    name: z
      .string()
      .trim()
      .min(1)
      .max(60)
      .default('webcrawl')
      .describe('Name of the search page in the header, in titles and in browsers'),
    logo: path
      .default('')
      .describe('Picture of the header, a file of at most 256 KiB: SVG, PNG, JPEG, GIF or WebP. Empty: none'),
    color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, 'a colour such as #17695a')
      .default('#17695a')
      .describe('Colour of the search page, made lighter or darker where text would be hard to read'),
    language: z
      .enum(['en', 'de', 'es', 'fr', 'ja', 'zh'])
      .default('en')
      .describe('Language of the search page; the dashboard and the pages of rules are in English'),
    links: refusedBy(textByName, siteLinksProblem)
      .default({})
      .describe('Links of the header by their text, to a URL or a path: `{"About": "https://example.com/about"}`'),
  }),
  commonWords: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe(
      'Maximum share of pages with a word of a query. A word of more pages is ignored if the query has other words. 1, or an index of fewer than 1,000 pages: no word is ignored',
    ),
});

export const serve = section({
  trustedProxies: refusedBy(z.array(z.string()), addressRangesProblem)
    .default([])
    .describe(
      'Addresses of reverse proxies on other machines, and ranges such as `10.0.0.0/8`. Any other address, except those of this machine, may hold at most half of the connections',
    ),
  allowedOrigins: refusedBy(z.array(z.string()), originsProblem)
    .default([])
    .describe(
      'Origins such as `https://www.example.com` whose pages may have a search box of this server, or show its search page in a frame. They cannot use the dashboard, the rules, the changes or the metrics',
    ),
});
