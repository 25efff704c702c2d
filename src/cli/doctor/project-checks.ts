import { showPlace } from '../../config/diagnostics';
import { compileConfig } from '../../core/compile-config';
import type { OpenProject } from '../project';
import { advice, type Check, failed, passed, warned } from './check';

/** Whether there is something to enforce here, and whether it can be read. */
export function projectChecks(project: OpenProject | undefined): Check[] {
  const subject = { id: 'project.repository', category: 'project' } as const;
  if (project === undefined) {
    return [
      warned(subject, 'Not in a git repository', advice('Change into a repository, or create .holdpoint/')),
    ];
  }
  return [passed(subject, project.root), configCheck(project)];
}

function configCheck({ root, home, configured }: OpenProject): Check {
  const subject = { id: 'project.config', category: 'project' } as const;
  const { diagnostics, sources } = compileConfig(root, home);
  const [worst] = [...diagnostics].sort(
    (a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'),
  );
  if (worst !== undefined) {
    const more = diagnostics.length > 1 ? ` (and ${diagnostics.length - 1} more)` : '';
    const message = `${showPlace(worst.place)}: ${worst.message}${more}`;
    const fix = { description: 'Shows every problem at its place', safe: true, command: 'req status -v' };
    return worst.severity === 'error' ? failed(subject, message, fix) : warned(subject, message, fix);
  }
  if (!configured || sources.length === 0) {
    return warned(subject, 'No config: nothing is enforced here', advice('Write one', 'req init'));
  }
  return passed(subject, sources.map(({ shown }) => shown).join(', '));
}
