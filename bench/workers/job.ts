// Runs an exported function of a benchmark in a process of its own.
import { givenArgument, reply, type JobCall } from '../lib/worker.js';

const { module, name, argument } = givenArgument<JobCall>();
const jobs = (await import(module)) as Readonly<Record<string, (...given: unknown[]) => unknown>>;
const result = await jobs[name]!(argument, (report: unknown) => reply({ report }));
reply({ result });
// Programs that a job has started may still run.
process.exit();
