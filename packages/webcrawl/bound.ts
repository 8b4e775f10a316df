type Takes = (context: never, ...given: never[]) => unknown;

/** The functions of a group without their first parameter. */
type Bound<G> = {
  readonly [N in keyof G]: G[N] extends (context: never, ...given: infer A) => infer R ? (...given: A) => R : never;
};

/** Binds a context as the first argument of each function of a group. */
export function bound<G extends Readonly<Record<string, Takes>>>(
  group: G,
  context: Parameters<G[keyof G]>[0],
): Bound<G> {
  const all = Object.entries(group).map(([name, call]) => [name, (...given: never[]) => call(context, ...given)]);
  return Object.fromEntries(all) as Bound<G>;
}
