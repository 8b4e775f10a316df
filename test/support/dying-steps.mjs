// For workers that kill their own process with SIGKILL at a step, randomly before, during or after it. After `begin`, each call of these
// methods on files counts as a step. Import it before any module that uses the disk.
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/**
 * @param {number} killAt the step to die at, from 1 on; 0: none
 * @param {{ names: readonly string[], ofFiles: readonly string[] }} methods of `node:fs/promises`, and of an open file
 */
export function createDyingSteps(killAt, { names, ofFiles }) {
  let steps = 0;
  let counting = false;

  async function step(task) {
    if (!counting) return task();
    steps += 1;
    const die = steps === killAt;
    if (die && steps % 3 === 0) process.kill(process.pid, 'SIGKILL');
    const doing = task();
    if (die && steps % 3 === 1) process.kill(process.pid, 'SIGKILL');
    const result = await doing;
    if (die) process.kill(process.pid, 'SIGKILL');
    return result;
  }

  /** Makes each call of these methods a step. */
  function wrap(object, methods) {
    for (const name of methods) {
      const original = object[name].bind(object);
      object[name] = (...args) => step(() => original(...args));
    }
  }

  wrap(promises, names);
  const { open } = promises;
  promises.open = async (...args) => {
    const handle = await open(...args);
    wrap(handle, ofFiles);
    return handle;
  };
  syncBuiltinESMExports();
  return {
    step,
    begin: () => void (counting = true),
    /** @returns the number of steps */
    end() {
      counting = false;
      return steps;
    },
  };
}
