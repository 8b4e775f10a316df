type Meanings = Readonly<Record<string, string>>;
export function withAuditRules(
  text: string,
  rules: readonly Readonly<Record<'id' | 'group' | 'severity' | 'title' | 'help', string>>[],
): string;
export function referenceMarkdown(
  tables: {
    readonly PROTOCOL_CODES: Meanings;
    readonly PARSE_CODES: Meanings;
    readonly COUNTERS: Readonly<Record<string, Meanings>>;
    readonly INTERNAL_FIELDS: readonly string[];
  },
  root: string,
): string;
