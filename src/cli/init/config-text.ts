import { asBlock, asInline } from '../../config/edit-yaml';
import type { JsonObject } from '../../core/json';
import {
  CHECK_WORDS,
  GATES_WORDS,
  HEADING,
  NO_CHECKS,
  PERSON_WORDS,
  REQUIREMENT_WORDS,
  REQUIREMENTS_WORDS,
} from './config-words';
import type { DefaultBranch } from './default-branch';
import { PRESETS, type PresetName } from './presets';
import type { ProposedCheck } from './proposed-checks';

/** What a first config is made of. */
export interface Contents {
  readonly preset: PresetName;
  readonly branch: DefaultBranch | undefined;
  readonly checks: readonly ProposedCheck[];
  /** Sections that stand in other files and are left out here. */
  readonly leaveOut: readonly string[];
}

/** Nothing that a check would look at: prose, and what `init` itself writes. */
const PROSE = ['**/*.md'];
const OURS = ['.*/**', '.gitignore'];

/** The text of a first `.holdpoint/config.yaml`, which explains itself; nothing where nothing is left to say. */
export function configText(contents: Contents): string | undefined {
  const { leaveOut } = contents;
  const sections = [
    ...(leaveOut.includes('requirements') ? [] : [requirementLines(contents)]),
    ...(leaveOut.includes('gates') ? [] : [gateLines(contents)]),
  ];
  if (sections.length === 0) return undefined;
  const lines = [...comment(HEADING), 'version: 1', ...sections.flatMap((section) => ['', ...section])];
  return `${lines.join('\n')}\n`;
}

function requirementLines({ preset, branch }: Contents): string[] {
  const { others } = PRESETS[preset];
  const all = Object.entries(PRESETS[preset].requirements(branch));
  const more = Object.keys(others).length === 0 ? [] : [...asBlock(others, '1.2'), ''];
  const head = comment(REQUIREMENTS_WORDS);
  if (all.length === 0) return [...more, ...head, 'requirements: {}'];
  const blocks = all.map(([name, requirement]) => [
    ...comment(wordsOn(name, requirement)),
    ...asBlock({ [name]: requirement }, '1.2'),
  ]);
  return [
    ...more,
    ...head,
    'requirements:',
    ...indent(blocks.flatMap((block, at) => (at === 0 ? block : ['', ...block]))),
  ];
}

function wordsOn(name: string, requirement: JsonObject): readonly string[] {
  const byPerson = requirement['agent_may_satisfy'] === false ? PERSON_WORDS[name] : undefined;
  return byPerson ?? REQUIREMENT_WORDS[name] ?? [];
}

function gateLines({ preset, branch, checks }: Contents): string[] {
  const on = checks.filter((check) => check.on);
  if (on.length === 0) return comment(NO_CHECKS);
  const paths = [...new Set(on.flatMap((check) => check.paths))];
  const section = [
    'gates:',
    `  base_branch: ${asInline(branch?.base ?? 'origin/main', '1.2')}  # changes are counted from here`,
    '  max_retries: 3  # after so many failed repetitions the turn ends all the same, and you decide',
    '  stop_hook:',
    '    enabled: true  # false: turns end unchecked; `holdpoint gates run` still works',
    '    run_interval_minutes: 0  # 10: after a pass, turns end unchecked for ten minutes',
    '  entry_points:',
    ...paths.flatMap((path) => entryPoint(path, on)),
    '  checks:',
    ...checks.flatMap(checkLines),
  ];
  return [...comment(GATES_WORDS), ...(PRESETS[preset].checks ? section : comment(section))];
}

function entryPoint(path: string, checks: readonly ProposedCheck[]): string[] {
  const names = checks.filter((check) => check.paths.includes(path)).map(({ name }) => name);
  return [
    `    - path: ${asInline(path, '1.2')}`,
    `      exclude: ${asInline(path === '.' ? [...PROSE, ...OURS] : PROSE, '1.2')}`,
    `      checks: ${asInline(names, '1.2')}`,
  ];
}

function checkLines({ name, command, source, on }: ProposedCheck): string[] {
  const block = indent(asBlock({ [name]: { command } satisfies JsonObject }, '1.2'), '    ');
  const words = indent(comment([source]), '    ');
  return on ? [...words, ...block] : [...indent(comment(CHECK_WORDS.spare), '    '), ...comment(block)];
}

/** Names of directories come from the project, and one may have a line end in it. */
function comment(lines: readonly string[]): string[] {
  return lines.map((line) => `# ${line.replace(/[\p{Cc}\u2028\u2029]/gu, ' ')}`.trimEnd());
}

function indent(lines: readonly string[], by = '  '): string[] {
  return lines.map((line) => (line === '' ? '' : by + line));
}
