import { formatDiagnostic, nearest } from '../../config/diagnostics';
import { asBlock } from '../../config/edit-yaml';
import type { CompiledFiles } from '../../core/compile-config';
import { isJsonObject, type JsonObject, objectIn } from '../../core/json';
import {
  isTemplate,
  LEGACY_MESSAGE_FILES,
  type Requirement,
  type RequirementsConfig,
  UNUSED_TEXTS,
} from '../../guards/requirements/section';
import { type Context, cannotRun, type ExitCode, report } from '../context';
import { projectChecks, runtimeChecks, stateChecks } from '../doctor/environment-checks';
import { registeredChecks } from '../doctor/installation-checks';
import { probeHook } from '../doctor/probe';
import { type DoctorOptions, runDoctor } from '../doctor/report';
import { openProject, type ProjectContext, requireProject } from '../project';
import { printError, styled, table } from '../ui/output';
import { legacyFileIn, writeOrRefuse } from './config-file';
import { type ReqOptions, refuseReserved } from './context';

/** `req verify`: runs the hook on an allowed event and on one that it must hold. */
export function verify(outer: Context, options: DoctorOptions): Promise<ExitCode> {
  return runDoctor(outer, options, (context) => {
    const home = context.env['HOME'] ?? '/';
    return [
      ...(options.repo === undefined ? [] : registeredChecks(openProject(context), home)),
      ...probeHook(),
    ];
  });
}

export function doctor(outer: Context, options: DoctorOptions): Promise<ExitCode> {
  return runDoctor(outer, options, (context) => {
    const project = openProject(context);
    const home = project?.home ?? context.env['HOME'] ?? '/';
    return [
      ...runtimeChecks(context.cwd, context.chunks.askGit),
      ...projectChecks(project, 'req init'),
      ...stateChecks(project, home, Date.now()),
      ...registeredChecks(project, home),
      ...probeHook(),
    ];
  });
}

/** `req messages`: checks or lists the user's message files, or writes the missing ones. */
export function messages(context: Context, values: ReqOptions, words: readonly string[]): ExitCode {
  const [what = 'validate', ...more] = words;
  if (more.length > 0 || !['validate', 'list'].includes(what))
    throw cannotRun(`req messages: unknown command '${what}'. Known: validate, list.`);
  const call = requireProject(context, 1);
  const compiled = call.chunks.part('compile-config').compileConfig(call.root, call.home);
  const files = messageFiles(compiled);
  if (what === 'list') {
    const rows = table(files.map((one) => [one.requirement, one.use, one.file]));
    const none = 'No message files. The built-in messages are used, or `message:` in the config.';
    return report(context, { files }, rows.length === 0 ? [none] : rows);
  }
  const silent = withoutMessage(compiled);
  const written = values.fix ? writeMessages(silent, call) : [];
  const without = silent.map(({ name }) => name).filter((name) => !written.includes(messagePath(name)));
  const wrong = compiled.diagnostics.filter(({ place }) => isMessageFile(place.file));
  const problems = wrong.map(formatDiagnostic);
  const strays = files
    .filter(({ use }) => use === 'no such requirement')
    .map(({ file, requirement, near }) => {
      const hint = near === undefined ? '' : ` Did you mean ${near}?`;
      return `${file}: unknown requirement '${requirement}'.${hint}`;
    });
  const ok = strays.length === 0 && wrong.every(({ code }) => code === 'config.not-read');
  if (!context.json) for (const text of [...problems, ...strays]) printError(text);
  const says = 'accepted, but not used: Holdpoint has its own text for this.';
  report(context, { ok, files, without, written, problems }, [
    ...files
      .filter(({ unused }) => unused.length > 0)
      .map(({ file, unused }) => `${file}: ${unused.join(', ')}: ${says}`),
    ...written.map((file) => `Created: ${file}`),
    ...(without.length === 0 ? [] : [`These use the built-in messages: ${without.join(', ')}`]),
    ...(ok ? [styled('green', `Message files are valid (${files.length + written.length})`)] : []),
  ]);
  return ok ? 0 : 1;
}

function messagePath(name: string): string {
  return `.claude/messages/${name}.yaml`;
}

/** Writes a starter file for each requirement without a message; returns their paths. */
function writeMessages(silent: readonly Requirement[], call: ProjectContext): string[] {
  refuseReserved(call);
  // Not every requirement name is a valid file name, and files that begin with `_` belong to no requirement.
  const named = silent.filter(({ name }) => /^[0-9A-Za-z][\w.-]*$/.test(name));
  return named.map(({ name, description, skill }) => {
    const lines = [
      `## Blocked: ${name}`,
      description ?? 'This must be done before the work can continue.',
      ...(skill === undefined ? [] : ['**Execute**: `/{auto_resolve_skill}`']),
    ];
    const messages = { blocking_message: `${lines.join('\n')}\n`, short_message: `${name} is still open.` };
    const text = [`# What an agent reads when ${name} holds it.`, ...asBlock(messages, '1.1'), ''].join('\n');
    writeOrRefuse(legacyFileIn(call.root, messagePath(name)), text);
    return messagePath(name);
  });
}

/** All message files of the project and the home, and how each is used; highest layer first, as in a lookup. */
function messageFiles({ model }: CompiledFiles) {
  const defined = objectIn(model.value, 'requirements');
  const seen: string[] = [];
  const files = model.files.filter(({ candidate }) => candidate.legacy?.file.configures === false);
  return files.reverse().map(({ candidate, layer, value }) => {
    const requirement = candidate.legacy?.name ?? '';
    const isKnown = Object.hasOwn(defined, requirement) || isTemplate(requirement);
    const content = JSON.stringify(value);
    const use = useOf(requirement, value, seen, defined);
    seen.push(requirement);
    return {
      requirement,
      file: candidate.shown,
      layer,
      use,
      /** Keys that are accepted but never read. */
      unused: UNUSED_TEXTS.filter((key) => content.includes(`"${key}":`)),
      near: isKnown ? undefined : nearest(requirement, Object.keys(defined)),
    };
  });
}

function useOf(name: string, content: JsonObject, higher: readonly string[], defined: JsonObject): string {
  if (isTemplate(name) || Object.keys(content).length === 0) return 'not read';
  if (!Object.hasOwn(defined, name)) return 'no such requirement';
  if (higher.includes(name)) return 'overridden by another file';
  const own = defined[name];
  return isJsonObject(own) && own['message'] !== undefined ? 'overridden by the config' : 'in use';
}

function withoutMessage({ guards }: CompiledFiles): Requirement[] {
  const guard = guards.find(({ name }) => name === 'requirements');
  const config = guard?.config as unknown as RequirementsConfig | undefined;
  return (config?.requirements ?? []).filter(
    (one) => one.message === undefined && (one.type !== 'dynamic' || one.blockingMessage === undefined),
  );
}

function isMessageFile(file: string): boolean {
  return LEGACY_MESSAGE_FILES.some(({ base, path }) => {
    const folder = path.slice(0, path.indexOf('*'));
    return file.startsWith(base === 'home' ? `~/${folder}` : folder);
  });
}
