import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));

export type Machine = ReturnType<typeof describeMachine>;

export function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    // A load average well above 0 before the bench means a busy machine.
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    commit: firstLine('git', ['-C', HERE, 'describe', '--always', '--dirty']) ?? 'unknown',
    date: new Date().toISOString().slice(0, 10),
  };
}

export function machineLine(machine: Machine): string {
  const { cpu, cores, memoryGb, system, node, load, commit, date } = machine;
  return `${cpu}, ${cores} cores, ${memoryGb} GB; ${system}; Node ${node}; load ${load}; ${commit}; ${date}`;
}

export function firstLine(command: string, args: readonly string[]): string | undefined {
  try {
    const output = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return output.trim().split('\n')[0];
  } catch {
    return undefined;
  }
}
