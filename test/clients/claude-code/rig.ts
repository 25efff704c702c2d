import { existsSync, rmSync } from 'node:fs';
import { afterEach } from 'vitest';
import { inClient } from '../in-client';
import { buildProject, type Project } from './project';

export type { Project } from './project';

/** A group of tests in the real Claude Code. */
export function inClaudeCode(name: string, tests: () => void, problem?: string): void {
  inClient('claude-code', name, tests, problem);
}

const projects: Project[] = [];
afterEach(async () => {
  for (const { dir } of projects.splice(0)) await remove(dir);
});

/** Hooks that a client has started may outlive it for a moment, and still write. */
async function remove(dir: string): Promise<void> {
  for (let tries = 0; existsSync(dir); tries += 1) {
    try {
      rmSync(dir, { recursive: true, force: true });
    } catch (error) {
      if (tries > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** A project that is removed after the test. */
export function makeProject(config: string): Project {
  const project = buildProject(config);
  projects.push(project);
  return project;
}
