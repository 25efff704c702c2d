#!/usr/bin/env node
import { runCommand } from './run-command';

runCommand(['req', ...process.argv.slice(2)]);
