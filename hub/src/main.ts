#!/usr/bin/env node
import { run } from './command/program.js';

await run(process.argv.slice(2));
