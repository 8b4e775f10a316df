#!/usr/bin/env node
import module from 'node:module';

interface CompileCache {
  readonly directory?: string;
}

// Node 22.8 and later can store compiled code for the next start. This must be enabled before other modules are loaded. The environment
// enables it for threads and child processes.
const cache = (module as { enableCompileCache?: () => CompileCache }).enableCompileCache?.();
if (cache?.directory !== undefined) process.env.NODE_COMPILE_CACHE ??= cache.directory;

await import('./main.js');
