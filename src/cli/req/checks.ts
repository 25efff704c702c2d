import { parseArgs } from 'node:util';
import { formatDiagnostic } from '../../config/diagnostics';
import type { MountedFile } from '../../config/mount';
import { nearest } from '../../config/nearest';
import { asBlock } from '../../config/write-yaml';
import { type CompiledFiles, compileConfig } from '../../core/compile-config';
import { isJsonObject, type JsonObject } from '../../core/json';
import type { Requirement, RequirementsConfig } from '../../guards/requirements/config';
import { isTemplate, MESSAGE_SEEDS, UNUSED_TEXTS } from '../../guards/requirements/message-files';
import { probeHook } from '../doctor/hook-probe';
import { projectChecks } from '../doctor/project-checks';
import { registeredChecks } from '../doctor/registered-checks';
import { reportLines, reportOn } from '../doctor/report';
import { DOCTOR_OPTIONS, runDoctor } from '../doctor/run-doctor';
import { runtimeChecks } from '../doctor/runtime-checks';
import { stateChecks } from '../doctor/state-checks';
import { printable } from '../output/printable';
import { table } from '../output/table';
import { openProject } from '../project';
import type { Verb } from '../verb';
import { refuseReserved, reservedForPeople } from './actor';
import { seedFileIn, writeOrRefuse } from './config-file';
import { Refusal, requireProject } from './refuse';

/** `req verify`: has the hook answer a harmless event and a forbidden one. */
export const verifyVerb: Verb = {
  usage: 'req verify [--ci] [--json]',
  run(args, { out }) {
    const { values } = parseArgs({
      args: [...args],
      options: { ci: { type: 'boolean', default: false }, json: { type: 'boolean' } },
    });
    const report = reportOn(probeHook());
    if (values.json) out.json(report);
    else for (const line of reportLines(report, values.ci, out)) out.line(line);
    return report.exit_code;
  },
};

/** `req doctor`: checks that everything is in place and works. */
export const doctorVerb: Verb = {
  usage: `req doctor ${DOCTOR_OPTIONS}`,
  run: (args, outer) =>
    runDoctor(args, outer, (context) => {
      const project = openProject(context);
      const home = project?.home ?? context.env['HOME'] ?? '/';
      return [
        ...runtimeChecks(context.cwd, context.chunks.askGit),
        ...projectChecks(project),
        ...stateChecks(project, home, Date.now()),
        ...registeredChecks(project, home),
        ...probeHook(),
      ];
    }),
};

/** `req messages`: checks or lists the files with messages of the user's own, or writes those that are missing. */
export const messagesVerb: Verb = {
  usage: 'req messages [validate|list] [--fix] [--json]',
  run(args, context) {
    const { out } = context;
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { fix: { type: 'boolean' }, json: { type: 'boolean' } },
    });
    const [what = 'validate', ...more] = positionals;
    if (more.length > 0 || !['validate', 'list'].includes(what))
      throw new Refusal(`req messages: there is no '${what}'. Known: validate, list.`, 2);
    const project = requireProject(context);
    const compiled = compileConfig(project.root, project.home);
    const files = messageFiles(compiled);
    if (what === 'list') {
      if (values.json) out.json({ files });
      else if (files.length === 0)
        out.line('No message files. The built-in words serve, or `message:` in the config.');
      else for (const line of table(files.map((one) => [one.requirement, one.use, one.file]))) out.line(line);
      return 0;
    }
    const silent = withoutMessage(compiled);
    if (values.fix) refuseReserved(reservedForPeople(project, context));
    // A requirement may have any name; a file may not, and one that begins with `_` is no requirement's.
    const fixed = values.fix ? silent.filter(({ name }) => /^[0-9A-Za-z][\w.-]*$/.test(name)) : [];
    const written = fixed.map(({ name }) => `.claude/messages/${name}.yaml`);
    for (const [at, requirement] of fixed.entries())
      writeOrRefuse(seedFileIn(project.root, written[at] ?? ''), firstMessages(requirement));
    const without = silent.filter((one) => !fixed.includes(one)).map(({ name }) => name);
    const wrong = compiled.diagnostics.filter(({ place }) => isMessageFile(place.file));
    const problems = wrong.map(formatDiagnostic);
    const strays = files.filter(({ use }) => use === 'no such requirement');
    const hasErrors = strays.length > 0 || wrong.some(({ severity }) => severity === 'error');
    if (values.json) out.json({ ok: !hasErrors, files, without, written, problems });
    else {
      for (const problem of problems) out.error(problem);
      for (const { file, requirement, near } of strays) {
        const hint = near === undefined ? '' : ` Did you mean ${near}?`;
        out.error(`${file}: there is no requirement '${requirement}'.${hint}`);
      }
      const lines = [
        ...files
          .filter(({ unused }) => unused.length > 0)
          .map(
            ({ file, unused }) =>
              `${file}: ${unused.join(', ')}: accepted, but Holdpoint says this in its own words.`,
          ),
        ...written.map((file) => `Created: ${file}`),
        ...(without.length > 0
          ? [`No words of their own, so the built-in ones serve: ${without.join(', ')}`]
          : []),
      ];
      for (const line of lines) out.line(printable(line));
      if (!hasErrors) out.line(out.style('green', `Message files are valid (${files.length})`));
    }
    return hasErrors ? 1 : 0;
  },
};

/** One message file and what becomes of it. */
interface MessageFile {
  readonly requirement: string;
  readonly file: string;
  readonly layer: string;
  readonly use: 'in use' | 'behind another file' | 'behind the config' | 'no such requirement' | 'not read';
  /** Keys of it that nothing reads. */
  readonly unused: readonly string[];
  /** The requirement that was probably meant. */
  readonly near?: string;
}

/** All message files of the project and the home, the highest layer first, as it is when a message is looked for. */
function messageFiles({ model }: CompiledFiles): MessageFile[] {
  const requirements = model.value['requirements'];
  const defined = isJsonObject(requirements) ? requirements : {};
  return model.files
    .filter(({ candidate }) => candidate.seed?.file.configures === false)
    .reverse()
    .map((file, at, all) => messageFile(file, all.slice(0, at), defined));
}

function messageFile(file: MountedFile, higher: readonly MountedFile[], defined: JsonObject): MessageFile {
  const { candidate, layer, value } = file;
  const requirement = nameOf(file);
  const isDefined = Object.hasOwn(defined, requirement);
  const near = isDefined || isTemplate(requirement) ? undefined : nearest(requirement, Object.keys(defined));
  const content = JSON.stringify(value);
  const use = (): MessageFile['use'] => {
    const own = defined[requirement];
    if (isTemplate(requirement) || Object.keys(value).length === 0) return 'not read';
    if (!isDefined) return 'no such requirement';
    if (higher.some((other) => nameOf(other) === requirement)) return 'behind another file';
    return isJsonObject(own) && own['message'] !== undefined ? 'behind the config' : 'in use';
  };
  return {
    requirement,
    file: candidate.shown,
    layer,
    use: use(),
    unused: UNUSED_TEXTS.filter((key) => content.includes(`"${key}":`)),
    ...(near !== undefined && { near }),
  };
}

function nameOf({ candidate }: MountedFile): string {
  return candidate.seed?.name ?? '';
}

/** The enabled requirements that have no message of their own. */
function withoutMessage({ guards }: CompiledFiles): Requirement[] {
  const guard = guards.find(({ name }) => name === 'requirements');
  const config = guard?.config as unknown as RequirementsConfig | undefined;
  return (config?.requirements ?? []).filter(
    (one) => one.message === undefined && (one.type !== 'dynamic' || one.blockingMessage === undefined),
  );
}

function isMessageFile(file: string): boolean {
  return MESSAGE_SEEDS.some(({ base, path }) => {
    const folder = path.slice(0, path.indexOf('*'));
    return file.startsWith(base === 'home' ? `~/${folder}` : folder);
  });
}

function firstMessages({ name, description, skill }: Requirement): string {
  const lines = [
    `## Blocked: ${name}`,
    description ?? 'This has to be done before the work goes on.',
    ...(skill === undefined ? [] : ['**Execute**: `/{auto_resolve_skill}`']),
  ];
  const messages = { blocking_message: `${lines.join('\n')}\n`, short_message: `${name} is still open.` };
  return [`# What an agent reads when ${name} holds it.`, ...asBlock(messages, '1.1'), ''].join('\n');
}
