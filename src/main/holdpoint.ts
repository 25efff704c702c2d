#!/usr/bin/env node
import { runCommand } from './run-command';

runCommand(process.argv.slice(2));
