import { type Diagnostic, formatDiagnostic } from '../../config/diagnostics';
import type { MountedFile } from '../../config/merge';
import { nearest } from '../../config/nearest';
import type { CompiledFiles } from '../../core/compile-config';
import { isJsonObject } from '../../core/json';
import type { Requirement, RequirementsConfig } from '../../guards/requirements/config';
import { isTemplate, MESSAGE_SEEDS, UNUSED_TEXTS } from '../../guards/requirements/message-files';

/** One message file and what becomes of it. */
export interface MessageFileFact {
  readonly requirement: string;
  readonly file: string;
  readonly layer: string;
  readonly use: 'in use' | 'behind another file' | 'behind the config' | 'no such requirement' | 'not read';
  /** Keys of it that nothing reads. */
  readonly unused: readonly string[];
  /** The requirement that was probably meant. */
  readonly near?: string;
}

export interface MessageFacts {
  readonly files: readonly MessageFileFact[];
  /** Enabled requirements for which the built-in words serve. */
  readonly without: readonly Requirement[];
  /** What is wrong inside the files, as people read it. */
  readonly problems: readonly string[];
  readonly hasErrors: boolean;
}

/** Looks at all message files of a project and the home. */
export function messageFacts(compiled: CompiledFiles): MessageFacts {
  const mounted = compiled.model.files.filter(({ candidate }) => candidate.seed?.file.configures === false);
  const requirements = compiled.model.value['requirements'];
  const defined = isJsonObject(requirements) ? requirements : {};
  // The highest layer comes first, as it does when a message is looked for.
  const files = mounted.reverse().map((file, at, all) => factOf(file, all.slice(0, at), defined));
  const wrong = compiled.diagnostics.filter(isAboutMessages);
  return {
    files,
    without: enabledIn(compiled).filter((one) => !hasWords(one)),
    problems: wrong.map(formatDiagnostic),
    hasErrors:
      wrong.some(({ severity }) => severity === 'error') ||
      files.some(({ use }) => use === 'no such requirement'),
  };
}

function factOf(file: MountedFile, higher: readonly MountedFile[], defined: object): MessageFileFact {
  const { candidate, layer } = file;
  const requirement = nameOf(file);
  const content = JSON.stringify(file.value);
  const known = Object.hasOwn(defined, requirement);
  const near = known ? undefined : nearest(requirement, Object.keys(defined));
  const own = (defined as Record<string, unknown>)[requirement];
  return {
    requirement,
    file: candidate.shown,
    layer,
    use: useOf(
      file,
      known,
      higher.some((other) => nameOf(other) === requirement),
      own,
    ),
    unused: UNUSED_TEXTS.filter((key) => content.includes(`"${key}":`)),
    ...(near !== undefined && !isTemplate(requirement) && { near }),
  };
}

function useOf(file: MountedFile, known: boolean, hidden: boolean, own: unknown): MessageFileFact['use'] {
  if (isTemplate(nameOf(file)) || Object.keys(file.value).length === 0) return 'not read';
  if (!known) return 'no such requirement';
  if (hidden) return 'behind another file';
  return isJsonObject(own) && own['message'] !== undefined ? 'behind the config' : 'in use';
}

function nameOf({ candidate }: MountedFile): string {
  return candidate.seed?.name ?? '';
}

function enabledIn({ guards }: CompiledFiles): readonly Requirement[] {
  const guard = guards.find(({ name }) => name === 'requirements');
  return guard === undefined ? [] : (guard.config as unknown as RequirementsConfig).requirements;
}

function hasWords(requirement: Requirement): boolean {
  if (requirement.message !== undefined) return true;
  return requirement.type === 'dynamic' && requirement.blockingMessage !== undefined;
}

function isAboutMessages({ place }: Diagnostic): boolean {
  return MESSAGE_SEEDS.some(({ base, path }) => {
    const folder = path.slice(0, path.indexOf('*'));
    return place.file.startsWith(base === 'home' ? `~/${folder}` : folder);
  });
}
