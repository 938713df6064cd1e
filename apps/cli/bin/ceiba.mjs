#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = new URL('../dist/main.js', import.meta.url);
if (existsSync(built)) {
  await import(built.href);
} else {
  console.error('ceiba is not built yet. In the workspace, run: npm run build');
  process.exitCode = 1;
}
