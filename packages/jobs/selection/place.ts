/** Something at a row of the order by score and row key. */
export interface Place {
  readonly score: number;
  readonly rowKey: string;
}

/** The order in which rows are selected: best score first, then by row key. */
export function isBefore(a: Place, b: Place): boolean {
  return a.score !== b.score ? a.score > b.score : a.rowKey < b.rowKey;
}
