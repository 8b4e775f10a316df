import type { Target, TargetResult } from '../../../packages/export/index.js';

export function madeBytes(seed: string, size: number): Buffer;
export const PARTS: Readonly<Record<string, number>>;
export function writeMade(target: Target): Promise<TargetResult>;
