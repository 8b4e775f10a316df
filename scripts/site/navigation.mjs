// The content of the documentation site in order: every document once, grouped by the purpose of the reader.

/** The document that is the first page of the site. */
export const HOME = 'README.md';

/** `file` is the path in the project. @type {readonly { text: string, pages: readonly { text: string, file: string }[] }[]} */
export const SECTIONS = [
  {
    text: 'Start',
    pages: [
      { text: 'What it is', file: HOME },
      { text: 'Ten minutes', file: 'docs/START.md' },
      { text: 'The guide: from seeds to data', file: 'docs/GUIDE.md' },
    ],
  },
  {
    text: 'How to',
    pages: [
      { text: 'For editors: what changed, what is broken', file: 'docs/EDITORS.md' },
      { text: 'For engineers: keep a copy of documentation', file: 'docs/ENGINEERS.md' },
      { text: 'Find what is broken', file: 'docs/AUDIT.md' },
      { text: 'Export data', file: 'docs/EXPORT.md' },
      { text: 'See what has changed', file: 'docs/CHANGES.md' },
      { text: 'Serve a search page', file: 'docs/SEARCH.md' },
      { text: 'Crawl what is relevant', file: 'docs/RULES.md' },
      { text: 'Rank pages by links', file: 'docs/GRAPH.md' },
      { text: 'Use it in a service', file: 'docs/EMBEDDING.md' },
      { text: 'Write a plugin', file: 'docs/PLUGINS.md' },
      { text: 'Run it for months', file: 'docs/OPERATIONS.md' },
      { text: 'Use many machines', file: 'docs/CLUSTER.md' },
      { text: 'Keep the table on HBase', file: 'docs/HBASE.md' },
      { text: 'Come from Nutch', file: 'docs/FROM-NUTCH.md' },
    ],
  },
  {
    text: 'Reference',
    pages: [
      { text: 'Commands and exit codes', file: 'docs/COMMANDS.md' },
      { text: 'Settings', file: 'docs/SETTINGS.md' },
      { text: 'Fields, codes, counters', file: 'docs/REFERENCE.md' },
      { text: 'Results of benchmarks', file: 'bench/results/README.md' },
      { text: 'Changes', file: 'CHANGELOG.md' },
    ],
  },
  {
    text: 'Explanation',
    pages: [
      { text: 'Architecture', file: 'ARCHITECTURE.md' },
      { text: 'Internals', file: 'docs/INTERNALS.md' },
      { text: 'One owner for each slot', file: 'docs/OWNERSHIP.md' },
      { text: 'Politeness and defaults', file: 'docs/DEFAULTS.md' },
      { text: 'Security', file: 'SECURITY.md' },
      { text: 'Scale', file: 'docs/scale.md' },
      { text: 'How we measure', file: 'bench/README.md' },
      { text: 'Contributing', file: 'CONTRIBUTING.md' },
    ],
  },
];

/** The paths of all documents, in the order of the site. */
export const DOCUMENTS = SECTIONS.flatMap(({ pages }) => pages.map(({ file }) => file));
