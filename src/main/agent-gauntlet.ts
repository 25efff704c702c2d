#!/usr/bin/env node
import { runCommand } from './run-command';

runCommand(['gates', ...process.argv.slice(2)]);
