/**
 * A tree that computes a number from a list of numbers. A leaf is the result. Another node compares one number of the list with a limit.
 */
export type DecisionTree =
  | number
  | {
      readonly column: number;
      /** If the number of the list is at most this limit, `low` decides, else `high`. */
      readonly limit: number;
      readonly low: DecisionTree;
      readonly high: DecisionTree;
    };

/** Reads a tree in the form `column<limit low high`; `low` and `high` are trees or numbers. */
export function readTree(text: string): DecisionTree {
  const words = text.split(' ').values();
  const read = (): DecisionTree => {
    const [column, limit] = (words.next().value as string).split('<');
    return limit === undefined
      ? Number(column)
      : { column: Number(column), limit: Number(limit), low: read(), high: read() };
  };
  return read();
}

export function treeScore(tree: DecisionTree, row: ArrayLike<number>): number {
  let node = tree;
  while (typeof node !== 'number') node = row[node.column]! <= node.limit ? node.low : node.high;
  return node;
}
