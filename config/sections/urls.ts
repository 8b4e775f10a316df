import { count, path, section } from './types.js';

export const urlnormalizer = section({
  regexFile: path.default('').describe('File of regex normaliser rules. Empty: config/regex-normalize.txt'),
});

export const urlfilter = section({
  regexFile: path.default('').describe('File of +/- regex rules. Empty: config/regex-urlfilter.txt'),
  prefixFile: path.default('').describe('File of accepted URL prefixes, one per line. Empty: not used'),
  suffixFile: path.default('').describe('File of URL suffixes. Empty: not used'),
  domainFile: path.default('').describe('File of accepted suffixes, domains or hosts. Empty: not used'),
  trapMaxLength: count.min(-1).default(2000).describe('Maximum number of characters of a URL. -1: no limit'),
  trapMaxRepeats: count
    .min(-1)
    .refine((value) => value !== 0, 'a whole number of at least 1, or -1')
    .default(2)
    .describe('How often a path segment or a run of segments may repeat. -1: no limit'),
  trapMaxParameters: count.min(-1).default(20).describe('Maximum number of query parameters of a URL. -1: no limit'),
  trapMaxDepth: count.min(-1).default(30).describe('Maximum number of path segments of a URL. -1: no limit'),
});
