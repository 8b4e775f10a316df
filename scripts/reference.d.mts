type Meanings = Readonly<Record<string, string>>;
export function referenceMarkdown(
  tables: {
    readonly PROTOCOL_CODES: Meanings;
    readonly PARSE_CODES: Meanings;
    readonly COUNTERS: Readonly<Record<string, Meanings>>;
  },
  root: string,
): string;
