import { CrawlError } from '../../errors/index.js';
import { createLooks, pause } from '../back-off.js';
import type { Pass, Runner, WorkerExit } from '../runner.js';
import { indexesOf } from './indexes.js';
import { outputOf, runProgram } from './run-program.js';

/** What {@link kubernetesRunner} takes. */
export interface KubernetesRunnerOptions {
  /** A manifest of a Job, of which the first container runs the workers. Its name, its size and its arguments are filled in. */
  readonly template: string;
  /** Pods at a time at the most. Absent: one for each shard. */
  readonly parallel?: number;
  /** Milliseconds between two looks at the Job at the most; it looks sooner while the Job is young. Default: 5,000. */
  readonly poll?: number;
  /** Variables of the environment of kubectl; absent: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const HINT = 'install kubectl, and let it reach the cluster; in a pod the ServiceAccount is enough';

/** The parts of a Job that are read or filled in. */
interface Job {
  metadata: { name?: string; generateName?: string; labels?: Record<string, string> };
  spec: {
    completions?: number;
    parallelism?: number;
    completionMode?: string;
    template: {
      spec: {
        containers: { args?: string[]; env?: { name: string; value?: string }[]; terminationMessagePolicy?: string }[];
      };
    };
  };
  status?: { conditions?: { type: string; status: string }[]; completedIndexes?: string; failedIndexes?: string };
}

interface Pod {
  metadata: { annotations?: Record<string, string>; creationTimestamp?: string };
  status?: { containerStatuses?: { state?: { terminated?: { exitCode: number; message?: string } } }[] };
}

/**
 * A runner that makes an Indexed Job with `kubectl`, a pod for each shard, and waits for it. Kubernetes starts pods again that
 * die, as the template says. A Job that an earlier call for the same batch and step has made, and that is not at its end, is waited
 * for in place of a new one.
 */
export function kubernetesRunner({ template, parallel, poll = 5000, env }: KubernetesRunnerOptions): Runner {
  return async (pass, { signal, onExit }) => {
    const name = jobNameOf(pass);
    const found = await find(name);
    if (!found || endOf(found) !== undefined) {
      if (found) await kubectl(['delete', 'job', name, '--wait=true']);
      await kubectl(['create', '-f', '-'], JSON.stringify(await filledIn(pass, name)));
    }
    const done = new Set<number>();
    const look = createLooks(poll);
    for (;;) {
      const job = await find(name);
      if (!job) throw new CrawlError('WORKER_FAILED', `expected the Job ${name}, found that somebody has deleted it`);
      for (const shard of indexesOf(job.status?.completedIndexes)) {
        if (!done.has(shard)) onExit({ shard, exitCode: 0 });
        done.add(shard);
      }
      if (endOf(job) !== undefined) break;
      if (signal.aborted) {
        // Pods get SIGTERM and their grace period.
        await kubectl(['delete', 'job', name, '--cascade=foreground', '--wait=true']);
        break;
      }
      await look(signal);
    }
    const exits = signal.aborted ? [] : await failedPods(name, pass);
    for (const exit of exits) if (!done.has(exit.shard)) onExit(exit);
    const failed = new Map(exits.map((exit) => [exit.shard, exit]));
    return pass.shards.map((shard) =>
      done.has(shard) ? { shard, exitCode: 0 } : (failed.get(shard) ?? { shard, exitCode: null }),
    );
  };

  async function filledIn({ step, batchId, args, count }: Pass, name: string): Promise<Job> {
    const job = JSON.parse(await kubectl(['create', '--dry-run=client', '-o', 'json', '-f', template])) as Job;
    const [container] = job.spec.template.spec.containers;
    if (!container) throw new CrawlError('BAD_INPUT', `expected a Job with a container in ${template}, found none`);
    const { generateName: _, ...metadata } = job.metadata;
    job.metadata = {
      ...metadata,
      name,
      labels: { ...metadata.labels, 'webcrawl/batch': batchId, 'webcrawl/step': step },
    };
    Object.assign(job.spec, {
      completions: count,
      parallelism: Math.min(count, parallel ?? count),
      completionMode: 'Indexed',
    });
    container.args = [...args, '--shard', 'auto'];
    const env = (container.env ?? []).filter((variable) => variable.name !== 'WEBCRAWL_SHARDS');
    container.env = [...env, { name: 'WEBCRAWL_SHARDS', value: String(count) }];
    // The end of what a worker wrote is kept with its pod.
    container.terminationMessagePolicy = 'FallbackToLogsOnError';
    return job;
  }

  async function find(name: string): Promise<Job | undefined> {
    const text = await kubectl(['get', 'job', name, '--ignore-not-found', '-o', 'json']);
    return text.trim() === '' ? undefined : (JSON.parse(text) as Job);
  }

  /** Of each shard that is not through, how its last pod ended. */
  async function failedPods(name: string, { shards }: Pass): Promise<WorkerExit[]> {
    const text = await kubectl(['get', 'pods', '-l', `job-name=${name}`, '-o', 'json']);
    const { items } = JSON.parse(text) as { items: Pod[] };
    const exits = new Map<number, WorkerExit>();
    const byAge = items.sort((a, b) =>
      (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''),
    );
    for (const { metadata, status } of byAge) {
      const shard = Number(metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? NaN);
      const ended = status?.containerStatuses?.[0]?.state?.terminated;
      if (!shards.includes(shard) || !ended || ended.exitCode === 0) continue;
      exits.set(shard, {
        shard,
        exitCode: ended.exitCode,
        ...(ended.message !== undefined && { message: ended.message }),
      });
    }
    return [...exits.values()];
  }

  async function kubectl(args: readonly string[], input?: string): Promise<string> {
    const options = { hint: HINT, ...(input !== undefined && { input }), ...(env && { env }) };
    for (let tries = 1; ; tries++) {
      const { exitCode, out, err } = await runProgram(['kubectl', ...args], options);
      if (exitCode === 0) return out;
      // The API server may be replaced meanwhile.
      const isAway = /connection refused|timeout|timed out|TLS handshake|EOF|unavailable|too many requests/i.test(err);
      if (!isAway || tries === 10) return outputOf(['kubectl', ...args], options);
      await pause(poll, new AbortController().signal);
    }
  }
}

/** A name that Kubernetes takes: at most 63 letters, digits and hyphens. */
function jobNameOf({ batchId, step }: Pass): string {
  return `webcrawl-${batchId}-${step}`
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .slice(0, 63);
}

/** How a Job has ended; undefined where it has not. */
function endOf({ status }: Job): 'complete' | 'failed' | undefined {
  const isTrue = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
  if (isTrue('Complete')) return 'complete';
  return isTrue('Failed') ? 'failed' : undefined;
}
