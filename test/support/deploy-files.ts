import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildProgram } from '../../bin/program.js';
import { testIo } from '../bin/test-io.js';
import { ROOT } from './docs/source-files.js';

export const DEPLOY = join(ROOT, 'config/deploy');

/** Whether {@link readYaml} works here: it needs Python with PyYAML. */
export const hasYaml = spawnSync('python3', ['-c', 'import yaml']).status === 0;

/** @throws Error if it is not valid YAML */
export function readYaml(text: string): unknown {
  const script = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))';
  const { stdout, stderr } = spawnSync('python3', ['-c', script], { input: text, encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The unknown options of a command line; the verb itself if it is unknown. */
export function unknownIn(words: readonly string[]): readonly string[] {
  const { command } = buildProgram(testIo());
  const verb = command.commands.find((one) => one.name() === words[0]);
  if (!verb) return [words[0] ?? ''];
  const known = new Set([command, verb].flatMap(({ options }) => options.map(({ long }) => long)));
  return words.filter((word) => word.startsWith('--') && !known.has(word.split('=', 1)[0]));
}
