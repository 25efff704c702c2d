import { parseArgs } from 'node:util';
import { NO_PROJECT } from '../messages';
import { openProject } from '../project';
import type { Verb } from '../verb';
import { branchName, readStateFiles, requirementCount } from './state-files';

export const verb: Verb = {
  usage: 'req list [--json]',
  run(args, context) {
    const { out } = context;
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const project = openProject(context);
    if (project === undefined) {
      out.error(NO_PROJECT);
      return 1;
    }
    const files = readStateFiles(project.layout);
    const branches = files.flatMap((file) =>
      file.kind === 'branch'
        ? [{ branch: branchName(file), requirements: requirementCount(file.state), file: file.ref.path }]
        : [],
    );
    const inProject = files.flatMap((file) =>
      file.kind === 'project' ? [requirementCount(file.state)] : [],
    );
    const [permanent = 0] = inProject;
    const unreadable = files.flatMap((file) => (file.kind === 'unreadable' ? [file.file] : []));
    if (values.json) {
      out.json({ branches, permanent, unreadable });
      return 0;
    }
    out.line(out.style('bold', `Tracked Branches (${branches.length})`));
    for (const { branch, requirements } of branches)
      out.line(`  ${out.style('cyan', branch)}: ${requirements} requirement(s)`);
    if (permanent > 0) out.line(`  ${out.style('dim', 'For all branches')}: ${permanent} requirement(s)`);
    for (const file of unreadable) out.error(`${file} cannot be read; nothing in it counts.`);
    return 0;
  },
};
