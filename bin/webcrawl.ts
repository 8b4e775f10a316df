#!/usr/bin/env node
import module from 'node:module';

// Node keeps what it has compiled for the next start, from 22.8 on. It has to be asked for before the rest is loaded.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();

await import('./main.js');
