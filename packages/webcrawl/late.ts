type Takes = (...given: never[]) => Promise<unknown>;
/** The names of the functions of a module that return promises. */
type Names<M> = { [N in keyof M]: M[N] extends Takes ? N : never }[keyof M];

/** Returns functions of a module. The module is loaded when one of them is first called. */
export function late<M, N extends Names<M>>(load: () => Promise<M>, ...names: readonly N[]): Pick<M, N> {
  const call =
    (name: N): Takes =>
    async (...given) =>
      ((await load())[name] as Takes)(...given);
  return Object.fromEntries(names.map((name) => [name, call(name)])) as Pick<M, N>;
}
