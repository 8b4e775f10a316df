/** The position of a row in the order of selection. */
export interface Position {
  readonly score: number;
  readonly rowKey: string;
}

/** Whether a row is selected before another row: higher scores come first, and equal scores are in the order of row keys. */
export function isBefore(a: Position, b: Position): boolean {
  return a.score !== b.score ? a.score > b.score : a.rowKey < b.rowKey;
}
