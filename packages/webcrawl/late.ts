/**
 * Makes a function whose module is loaded when the function is first called.
 * @param load imports the module, and returns the function
 */
export function late<F extends (...given: never[]) => Promise<unknown>>(load: () => Promise<F>): F {
  const called = async (...given: never[]): Promise<unknown> => (await load())(...given);
  return called as F;
}
